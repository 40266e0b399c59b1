import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** An agent that uses the tools of an MCP server, and tells which ones it called. */
export default async function agent({ input }: { input: string }) {
  const client = new Client({ name: 'order-desk', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(import.meta.dirname, 'server.ts')] }),
  );
  try {
    const args = { id: /A-\d+/.exec(input)?.[0] ?? '' };
    const { content } = await client.callTool({ name: 'find_order', arguments: args });
    const [part] = content as { text: string }[]; // the tool of the shop answers with one text
    const order = JSON.parse(part?.text ?? '{}');
    return {
      output: `Order ${args.id} arrives on ${order.arrives}.`,
      tool_calls: [{ name: 'find_order', args, result: order }],
    };
  } finally {
    await client.close();
  }
}
