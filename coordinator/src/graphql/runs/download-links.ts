import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type ExportFormat, exportFormats, exportTypes } from '../suite-runs/export-formats.ts';

const Grant = z.object({
  tenant: z.uuid(),
  /** Seconds since 1970, by the clock of the ledger. */
  expires: z.coerce.number().int().min(0),
});

/** What a link hands out, and until when. */
export interface DownloadGrant extends z.infer<typeof Grant> {
  kind: 'run' | 'suite-run';
  id: string;
  format: ExportFormat;
}

/** Signs links to the results of runs and knows them again. */
export interface DownloadLinks {
  sign: (grant: DownloadGrant) => string;
  /** What the link allows; null for one that we did not sign. Whether it has expired is for the ledger to say. */
  read: (file: string, query: URLSearchParams) => DownloadGrant | null;
}

const File = z.templateLiteral([z.enum(['run', 'suite-run']), '-', z.uuid(), '.', z.string()]);

export function downloadLinks(key: Buffer, publicUrl: string): DownloadLinks {
  const signatureOf = ({ kind, id, format, tenant, expires }: DownloadGrant) =>
    createHmac('sha256', key).update(['download', kind, id, format, tenant, expires].join('\n')).digest();
  return {
    sign: (grant) => {
      const { kind, id, format, tenant, expires } = grant;
      const signature = signatureOf(grant).toString('hex');
      const query = new URLSearchParams({ tenant, expires: `${expires}`, signature });
      return `${publicUrl}/downloads/${kind}-${id}.${exportTypes[format].ending}?${query}`;
    },
    read: (file, query) => {
      const given = query.get('signature') ?? '';
      const grant = Grant.safeParse(Object.fromEntries(query));
      const format = exportFormats.find((one) => file.endsWith(`.${exportTypes[one].ending}`));
      if (!grant.success || format === undefined || !File.safeParse(file).success) return null;
      const kind = file.startsWith('run-') ? 'run' : 'suite-run';
      const id = file.slice(kind.length + 1, kind.length + 37);
      const read: DownloadGrant = { ...grant.data, kind, id, format };
      if (!/^[0-9a-f]{64}$/.test(given)) return null;
      return timingSafeEqual(signatureOf(read), Buffer.from(given, 'hex')) ? read : null;
    },
  };
}
