/**
 * The sealed objects of the vault in memory.
 *
 * @module
 */
import type { Listed, VaultObjects } from '../../../src/vault/objects.ts'
import { byValue } from './order.ts'

export class MemoryVaultObjects implements VaultObjects {
  private readonly objects = new Map<string, { readonly at: number; readonly body: Uint8Array }>()

  /** @param now the store's clock, milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  async put(key: string, body: Uint8Array): Promise<void> {
    // Not `slice`, which does not copy for a Buffer.
    this.objects.set(key, { at: this.now(), body: new Uint8Array(body) })
  }

  async create(key: string, body: Uint8Array): Promise<boolean> {
    if (this.objects.has(key)) return false
    await this.put(key, body)
    return true
  }

  async replace(key: string, body: Uint8Array): Promise<boolean> {
    if (!this.objects.has(key)) return false
    await this.put(key, body)
    return true
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.objects.get(key)?.body.slice()
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key)
  }

  async list(prefix: string): Promise<Listed[]> {
    const matches = [...this.objects].filter(([key]) => key.startsWith(prefix))
    return matches.map(([key, { at }]) => ({ key, at })).sort((a, b) => byValue(a.key, b.key))
  }

  async close(): Promise<void> {}

  /** The keys of all objects, in order. */
  dump(): string[] {
    return [...this.objects.keys()].sort(byValue)
  }
}
