/**
 * What the service and its browser host say to each other. A run has a number there; its pages have numbers of the
 * child's own.
 *
 * @module
 */
import type { PageAnswer, PageCall } from '../../browser/calls.ts'
import type { Site } from '../../browser/requests.ts'

/** A {@link Site} as JSON: its walls' expressions as text. */
export type SiteJson = Omit<Site, 'walls'> & {
  readonly walls: readonly {
    readonly source: string
    readonly flags: string
    readonly ends: NonNullable<Site['walls']>[number]['ends']
  }[]
}

export type ToHost =
  /** said once, before all else */
  | {
      readonly type: 'setup'
      /** null: this machine has no browser */
      readonly executable: string | null
      readonly origins: Readonly<Record<string, string>>
      readonly proxyUrl: string | null
      /** pages at once */
      readonly most: number
    }
  | { readonly type: 'run'; readonly run: number; readonly site: SiteJson }
  /** answered by `done` */
  | {
      readonly type: 'call'
      readonly id: number
      readonly run: number
      readonly page: number
      readonly call: PageCall
    }
  /** the run has ended, however it did */
  | { readonly type: 'over'; readonly run: number }
  /** end the browser, and yourself */
  | { readonly type: 'stop' }

export type FromHost =
  | { readonly type: 'alive' }
  | { readonly type: 'done'; readonly id: number; readonly answer: PageAnswer }
  /** for the service's log */
  | { readonly type: 'failed'; readonly reason: string }

/** How often a host says that it is alive, and how long it may be silent, in milliseconds. */
export const ALIVE_MS = 2500
export const SILENT_MS = 20_000

export function siteToJson({ name, origin, hosts = [], assetHosts = [], walls = [] }: Site): SiteJson {
  const asText = walls.map(({ url, ends }) => ({ source: url.source, flags: url.flags, ends }))
  return { name, origin, hosts, assetHosts, walls: asText }
}

export const siteFromJson = ({ walls, ...site }: SiteJson): Site => ({
  ...site,
  walls: walls.map(({ source, flags, ends }) => ({ url: new RegExp(source, flags), ends })),
})
