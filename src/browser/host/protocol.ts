/**
 * What the service and its browser host say to each other. A run has a number there; its pages have numbers of the
 * child's own.
 *
 * @module
 */

import type { Login } from '../../plugin.ts'
import type { Site } from '../page/requests.ts'
import type { StateChange } from '../page/state-changes.ts'
import type { SignInFault } from '../signin/errors.ts'
import type { SignedIn, SignInEvent, SignInFrame, Viewport } from '../signin/types.ts'
import type { PageAnswer, PageCall } from './page-calls.ts'

/** A {@link Site} as JSON: its interstitials' expressions as text. */
export type SiteJson = Omit<Site, 'interstitials'> & {
  readonly interstitials: readonly {
    readonly source: string
    readonly flags: string
    readonly ends: NonNullable<Site['interstitials']>[number]['ends']
  }[]
}

/** Of a {@link Login} what a sign-in needs, as JSON. */
export type LoginJson = Pick<Login, 'url' | 'hosts'> & {
  readonly cookies: readonly string[]
  readonly shown: { readonly source: string; readonly flags: string } | null
}

export type ToHost =
  /** said once, before all else */
  | {
      readonly type: 'setup'
      readonly chromiumPath: string | null
      /** the process that installs Chromium now */
      readonly installer: number | null
      readonly origins: Readonly<Record<string, string>>
      readonly proxyUrl: string | null
      /** pages at once */
      readonly most: number
    }
  /** `state`: the signed-in state that its pages begin with, as JSON text; null: they begin with nothing */
  | { readonly type: 'run'; readonly run: number; readonly site: SiteJson; readonly state: string | null }
  /** answered by `done` */
  | {
      readonly type: 'call'
      readonly id: number
      readonly run: number
      readonly page: number
      readonly call: PageCall
    }
  /** the run has ended, however it did: answered by `left` */
  | { readonly type: 'over'; readonly run: number }
  /** a person signs in; numbered apart from runs */
  | {
      readonly type: 'sign-in'
      readonly signIn: number
      readonly site: SiteJson
      readonly login: LoginJson
      readonly viewport: Viewport
    }
  /** answered by `sent`; an input is not looked at on its way */
  | { readonly type: 'input'; readonly signIn: number; readonly id: number; readonly input: unknown }
  /** answered by `frame`, when there is one */
  | { readonly type: 'next-frame'; readonly signIn: number; readonly fresh: boolean }
  | { readonly type: 'end-sign-in'; readonly signIn: number }
  /** end the browser, and yourself */
  | { readonly type: 'stop' }

export type FromHost =
  | { readonly type: 'alive' }
  | { readonly type: 'done'; readonly id: number; readonly answer: PageAnswer }
  /** what the pages of a run that is over have changed in its state, which is forgotten here */
  | { readonly type: 'left'; readonly run: number; readonly changes: readonly StateChange[] }
  /** its page is open */
  | { readonly type: 'opened'; readonly signIn: number }
  | {
      readonly type: 'sent'
      readonly signIn: number
      readonly id: number
      readonly fault: SignInFault | null
    }
  | { readonly type: 'frame'; readonly signIn: number; readonly frame: SignInFrame }
  | { readonly type: 'event'; readonly signIn: number; readonly event: SignInEvent }
  /** it is over, and nothing is left of it; said once, after all else, also when its page was not opened */
  | { readonly type: 'signed-in'; readonly signIn: number; readonly outcome: SignedIn | SignInFault }
  /** for the service's log */
  | { readonly type: 'failed'; readonly reason: string }

/** How often a host says that it is alive, and how long it may be silent, in milliseconds. */
export const ALIVE_MS = 2500
export const SILENT_MS = 20_000

export function siteToJson({
  name,
  origin,
  hosts = [],
  assetHosts = [],
  interstitials = [],
}: Site): SiteJson {
  const asText = interstitials.map(({ url, ends }) => ({ source: url.source, flags: url.flags, ends }))
  return { name, origin, hosts, assetHosts, interstitials: asText }
}

export const siteFromJson = ({ interstitials, ...site }: SiteJson): Site => ({
  ...site,
  interstitials: interstitials.map(({ source, flags, ends }) => ({ url: new RegExp(source, flags), ends })),
})

export function loginToJson({ url, hosts = [], signedIn }: Login): LoginJson {
  const { cookies, url: shown } = signedIn
  return { url, hosts, cookies, shown: shown ? { source: shown.source, flags: shown.flags } : null }
}

export const loginFromJson = ({ url, hosts = [], cookies, shown }: LoginJson): Login => ({
  url,
  hosts,
  signedIn: { cookies, ...(shown ? { url: new RegExp(shown.source, shown.flags) } : {}) },
})
