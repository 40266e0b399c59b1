const restsMs = [500, 1_500, 4_000];

/** Asks again where the coordinator says that it can answer in a moment. Only for what changes nothing. */
export async function patientFetch(path: string, init: RequestInit): Promise<Response> {
  for (const ms of restsMs) {
    const response = await fetch(path, init);
    if (response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return await fetch(path, init);
}
