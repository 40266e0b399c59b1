const wrongUsage = 2;

/**
 * Where GitHub makes the App of a coordinator with one click: everything that it may do and hears of is filled in. On
 * github.com or an Enterprise Server, for whoever is logged in or for an organization.
 */
function appLink(publicUrl: string, { organization, server }: { organization: string | null; server: string }): string {
  const account = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
  const link = new URL(`${server.replace(/\/$/, '')}${account}/settings/apps/new`);
  const fields = {
    name: 'Proofmark',
    description: 'Gates pull requests on how well an AI agent behaves.',
    url: publicUrl,
    public: 'false',
    webhook_active: 'true',
    webhook_url: `${publicUrl}/webhooks/github`,
    checks: 'write',
    pull_requests: 'write',
    contents: 'read',
    metadata: 'read',
  };
  for (const [name, value] of Object.entries(fields)) link.searchParams.set(name, value);
  for (const event of ['check_run', 'check_suite', 'merge_group', 'pull_request']) {
    link.searchParams.append('events[]', event);
  }
  return link.href;
}

function main([given = '', ...options]: readonly string[]): void {
  const publicUrl = URL.canParse(given) ? new URL(given) : null;
  const optionOf = (name: string) => options[options.indexOf(name) + 1 || options.length] ?? null;
  if (publicUrl === null || !/^https?:$/.test(publicUrl.protocol)) {
    process.stderr.write(
      'Usage: github-app PUBLIC_URL [--organization NAME] [--server https://github.example.com]\n' +
        'PUBLIC_URL is where GitHub reaches the coordinator, such as https://proofmark.example.com\n',
    );
    process.exitCode = wrongUsage;
    return;
  }
  const link = appLink(publicUrl.href.replace(/\/$/, ''), {
    organization: optionOf('--organization'),
    server: optionOf('--server') ?? 'https://github.com',
  });
  process.stdout.write(
    `Open this page and press "Create GitHub App":\n\n${link}\n\n` +
      'Then set on the coordinator: GITHUB_APP_ID (shown there), GITHUB_APP_PRIVATE_KEY_FILE (press "Generate a private key")\n' +
      'and GITHUB_WEBHOOK_SECRET (any long random text, entered there as the webhook secret), and install the App.\n',
  );
}

main(process.argv.slice(2));
