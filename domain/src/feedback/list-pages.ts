const pageSize = 100;
const maxPages = 100;

/** Every item of a paged list, page after page until one is not full. */
export async function listPages<Item>(readPage: (page: number, perPage: number) => Promise<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const found = await readPage(page, pageSize);
    items.push(...found);
    if (found.length < pageSize) break;
  }
  return items;
}
