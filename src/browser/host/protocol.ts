/**
 * Messages between the service and its browser host. They may contain regular expressions, since the channel uses
 * structured clones. Each run has a number in the host; the numbers of its pages are chosen by the child.
 *
 * @module
 */

import type { ExitUrl } from '../../net/exits/choose.ts'
import type { ExitFailure } from '../../net/transport/transport.ts'
import type { Usage } from '../../net/transport/usage.ts'
import type { SignInTarget } from '../../signin/browser/open.ts'
import type { SignInEvent, SignInListener } from '../../signin/browser/types.ts'
import type { Site } from '../page/requests.ts'
import type { BrowsersOptions } from './browsers.ts'
import type { PageAnswer, PageCall } from './page-calls.ts'

export type HostSettings = Pick<BrowsersOptions, 'origins' | 'most'> & {
  /** CHROMIUM_PATH; null: Chromium is searched for */
  readonly chromiumPath: string | null
}

/** What the pages of a run need. */
export type BeginPages = {
  readonly site: Site
  /** the signed-in state of its first page, as JSON text */
  readonly state: string | undefined
  /** null: direct */
  readonly exit: ExitUrl | null
}

/** A request to a host. Each request gets one answer. */
export type HostRequest =
  | {
      readonly type: 'page'
      readonly run: number
      readonly page: number
      readonly call: PageCall
      /** set when the call opens a page */
      readonly begins: BeginPages | undefined
    }
  /** The run has ended, successfully or not, and is dropped. Answer: {@link import('./served-pages.ts').PagesEnd} */
  | { readonly type: 'end-run'; readonly run: number }
  /** Opens a sign-in. Its number and the runs' numbers are separate. Answered when the page is open */
  | ({ readonly type: 'sign-in'; readonly signIn: number } & Omit<SignInTarget, keyof SignInListener>)
  /** Answer: the {@link import('../../signin/browser/types.ts').SignedIn}, once the page is closed */
  | { readonly type: 'outcome'; readonly signIn: number }
  /** `input` is not validated before it arrives in the host. */
  | { readonly type: 'input'; readonly signIn: number; readonly input: unknown }
  /** Answer: a {@link import('../../signin/browser/types.ts').Frame}, once one is available */
  | { readonly type: 'frame'; readonly signIn: number; readonly fresh: boolean }
  | { readonly type: 'end-sign-in'; readonly signIn: number }

export type SignInRequest = HostRequest & { readonly signIn: number }

export type ToHost =
  /** sent once, before any other message */
  | ({
      readonly type: 'setup'
      /** pid of the process that is installing Chromium; null when none is running */
      readonly installer: number | null
    } & HostSettings)
  | { readonly type: 'request'; readonly id: number; readonly request: HostRequest }
  /** stops the browser and the host */
  | { readonly type: 'stop' }

export type FromHost =
  | { readonly type: 'alive' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: PageAnswer }
  | { readonly type: 'event'; readonly signIn: number; readonly event: SignInEvent }
  | { readonly type: 'exit-failed'; readonly signIn: number; readonly failure: ExitFailure }
  | { readonly type: 'used'; readonly signIn: number; readonly usage: Usage }
  /** for the service's log */
  | { readonly type: 'failed'; readonly reason: string }

/** The host's heartbeat interval, and how long it may be silent, in milliseconds. */
export const ALIVE_MS = 2500
export const SILENT_MS = 20_000
