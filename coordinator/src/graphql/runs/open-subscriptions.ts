const perToken = 20;
const perTenant = 200;

interface Slot {
  release: () => void;
}

/** Counts the open subscriptions of this replica; null when a token or its tenant has as many as it may. */
export interface OpenSubscriptions {
  take: (tokenId: string, tenantId: string) => Slot | null;
}

export function countSubscriptions(): OpenSubscriptions {
  const open = new Map<string, number>();
  const change = (key: string, by: number) => {
    const count = (open.get(key) ?? 0) + by;
    if (count === 0) open.delete(key);
    else open.set(key, count);
  };
  return {
    take: (tokenId, tenantId) => {
      const [token, tenant] = [`token ${tokenId}`, `tenant ${tenantId}`];
      if ((open.get(token) ?? 0) >= perToken || (open.get(tenant) ?? 0) >= perTenant) return null;
      change(token, 1);
      change(tenant, 1);
      let isReleased = false;
      const release = () => {
        if (isReleased) return;
        isReleased = true;
        change(token, -1);
        change(tenant, -1);
      };
      return { release };
    },
  };
}
