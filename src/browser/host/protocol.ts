/**
 * What the service and its browser host say to each other, with expressions as they are: the channel copies them. A run
 * has a number there; its pages have numbers of the child's own.
 *
 * @module
 */
import type { BrowsersOptions } from '../browsers.ts'
import type { Site } from '../page/requests.ts'
import type { SignInWanted } from '../signin/open.ts'
import type { SignInEvent } from '../signin/types.ts'
import type { PageAnswer, PageCall } from './page-calls.ts'

export type HostSettings = Pick<BrowsersOptions, 'origins' | 'proxyUrl' | 'most'> & {
  /** CHROMIUM_PATH; null: one is looked for */
  readonly chromiumPath: string | null
}

/** What a host is asked for; each request gets one answer. */
export type HostRequest =
  | {
      readonly type: 'page'
      readonly run: number
      readonly page: number
      readonly call: PageCall
      /** of a run that opens a page; `state`: the signed-in state that its first page begins with, as JSON text */
      readonly begins: { readonly site: Site; readonly state: string | undefined } | undefined
    }
  /** The run has ended, however it did, and is forgotten. Answer: what its pages have changed in its state */
  | { readonly type: 'end-run'; readonly run: number }
  /** A person signs in; numbered apart from runs. Answered when the page is open */
  | ({ readonly type: 'sign-in'; readonly signIn: number } & Omit<SignInWanted, 'onEvent'>)
  /** Answer: what the person has signed in to, when nothing is left of the page */
  | { readonly type: 'outcome'; readonly signIn: number }
  /** An input is not looked at on its way. */
  | { readonly type: 'input'; readonly signIn: number; readonly input: unknown }
  /** Answer: a {@link import('../signin/types.ts').Frame}, when there is one */
  | { readonly type: 'frame'; readonly signIn: number; readonly fresh: boolean }
  | { readonly type: 'end-sign-in'; readonly signIn: number }

export type SignInRequest = HostRequest & { readonly signIn: number }

export type ToHost =
  /** said once, before all else */
  | ({
      readonly type: 'setup'
      /** the process that installs Chromium now */
      readonly installer: number | null
    } & HostSettings)
  | { readonly type: 'request'; readonly id: number; readonly request: HostRequest }
  /** end the browser, and yourself */
  | { readonly type: 'stop' }

export type FromHost =
  | { readonly type: 'alive' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: PageAnswer }
  | { readonly type: 'event'; readonly signIn: number; readonly event: SignInEvent }
  /** for the service's log */
  | { readonly type: 'failed'; readonly reason: string }

/** How often a host says that it is alive, and how long it may be silent, in milliseconds. */
export const ALIVE_MS = 2500
export const SILENT_MS = 20_000
