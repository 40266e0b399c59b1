import type { PullRequest } from './shapes.ts';

type Head = {
  repository: string;
  number: number;
  id: number;
  url: string;
  headRepository: string | undefined;
  ref: string;
  sha: string;
  base: PullRequest['base'];
  isOpen: boolean;
};

/** Which commit each pull request stands on: the emulator forgets to move them when their branch is pushed. */
export class PullHeads {
  readonly #heads = new Map<string, Head>();

  add({ base, head, number, id, url, state }: PullRequest): void {
    this.#heads.set(keyOf(base.repo.full_name, number), {
      repository: base.repo.full_name,
      number,
      id,
      url,
      headRepository: head.repo?.full_name,
      ref: head.ref,
      sha: head.sha,
      base,
      isOpen: state === 'open',
    });
  }

  setOpen(repository: string, number: number, isOpen: boolean): void {
    const head = this.#heads.get(keyOf(repository, number));
    if (head !== undefined) head.isOpen = isOpen;
  }

  /** Open pull requests whose branch this is. */
  onBranch(headRepository: string, ref: string): Head[] {
    return [...this.#heads.values()].filter(
      (head) => head.isOpen && head.headRepository === headRepository && head.ref === ref,
    );
  }

  /** The current head for an answer about a pull request. */
  shaOf(repository: string, number: number): string | undefined {
    return this.#heads.get(keyOf(repository, number))?.sha;
  }

  /** What a check run lists: open pull requests of the repository itself whose head is this commit; none of forks. */
  openAt(repository: string, sha: string) {
    return [...this.#heads.values()]
      .filter(
        (head) =>
          head.isOpen && head.repository === repository && head.headRepository === repository && head.sha === sha,
      )
      .map(({ id, number, url, ref, base }) => {
        const repo = { id: base.repo.id, name: base.repo.name, url: base.repo.url };
        return { id, number, url, head: { ref, sha, repo }, base: { ref: base.ref, sha: base.sha, repo } };
      });
  }
}

function keyOf(repository: string, number: number): string {
  return `${repository}#${number}`;
}
