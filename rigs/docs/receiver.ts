/**
 * A webhook endpoint that accepts every delivery.
 *
 * @module
 */
import { startSite } from '../servers/site.ts'

/** Starts an endpoint. */
export async function startReceiver(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { origin, stop } = await startSite((request, response) =>
    request.resume().on('end', () => response.writeHead(204).end()),
  )
  return { url: `${origin}/hook`, stop }
}
