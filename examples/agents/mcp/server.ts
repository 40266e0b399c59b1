import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** The tools of the shop, for whatever agent speaks the Model Context Protocol. */
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('find_order', { description: 'Where an order is', inputSchema: { id: z.string() } }, ({ id }) => ({
  content: [{ type: 'text', text: JSON.stringify({ id, arrives: 'Friday' }) }],
}));
await server.connect(new StdioServerTransport());
