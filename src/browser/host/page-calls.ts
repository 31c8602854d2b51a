/**
 * A page driven from another process: its calls and results as JSON.
 *
 * @module
 */
import type { SavedCookie } from '../../net/cookies.ts'
import { type ExitFailure, ExitUnreachable, exitFailureOf } from '../../net/transport/transport.ts'
import { SourceError, type SourceErrorCode, TryAgain } from '../../plugin/errors.ts'
import type { Answers, BrowserPage, PageOptions } from '../../plugin.ts'
import { SignInError, type SignInErrorCode } from '../../signin/browser/errors.ts'
import { BrowserFailed } from '../failure.ts'
import { checkPattern } from '../page/answers.ts'
import { type Arrived, replyOfArrived } from '../page/arrived.ts'

/** The methods that need only their arguments. */
type Plain = Omit<BrowserPage, 'answers' | 'close'>

export const PLAIN: ReadonlySet<keyof Plain> = new Set([
  'goto',
  'url',
  'html',
  'wait',
  'click',
  'fill',
  'press',
  'scroll',
  'evaluate',
])

export type PageCall =
  /** `cookies`: newer than the cookies of its signed-in state, if it has one */
  | { readonly method: 'open'; readonly options: PageOptions; readonly cookies?: readonly SavedCookie[] }
  | { readonly [M in keyof Plain]: { readonly method: M; readonly args: Parameters<Plain[M]> } }[keyof Plain]
  /** starts to buffer responses, under a number chosen by the caller */
  | { readonly method: 'listen'; readonly listener: number; readonly source: string; readonly flags: string }
  | { readonly method: 'next'; readonly listener: number; readonly timeoutS: number | null }
  | { readonly method: 'close' }

/** A serialized error, for transport between processes. */
export type Fault = {
  readonly message: string
  /** of a SourceError */
  readonly code?: SourceErrorCode
  /** a transient error of the browser or of the source */
  readonly again?: 'browser' | 'source'
  /** the page's exit failed */
  readonly exit?: ExitFailure
  /** of a SignInError */
  readonly signIn?: SignInErrorCode
  /** a TypeError: a mistake of the caller */
  readonly type?: true
}

export type PageAnswer = { readonly value: unknown } | { readonly fault: Fault }

/** {@link Arrived} as JSON. */
export type ArrivedJson = Omit<Arrived, 'headers' | 'body'> & {
  readonly headers: readonly (readonly [string, string])[]
  /** in base64 */
  readonly body: string | Fault
}

export function faultOf(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof BrowserFailed) return { message, again: 'browser' }
  if (error instanceof TryAgain) return { message, again: 'source' }
  const exit = exitFailureOf(error)
  if (exit) return { message, exit }
  if (error instanceof SourceError) return { message, code: error.code }
  if (error instanceof SignInError) return { message, signIn: error.code }
  return error instanceof TypeError ? { message, type: true } : { message }
}

export function errorOf({ message, code, again, exit, signIn, type }: Fault): Error {
  if (exit) return new ExitUnreachable(exit)
  if (again === 'browser') return new BrowserFailed(message)
  if (again === 'source') return new TryAgain(message)
  if (code) return new SourceError(code, message)
  if (signIn) return new SignInError(signIn, message)
  return type ? new TypeError(message) : new Error(message)
}

/** Runs an action and returns its value or its fault. Never rejects. */
export const answerTo = (act: () => Promise<unknown>): Promise<PageAnswer> =>
  act().then(
    (value = null) => ({ value }),
    (error) => ({ fault: faultOf(error) }),
  )

/** Returns the value of an answer. @throws the error that the other process threw */
export function resultOf(answer: PageAnswer): unknown {
  if ('fault' in answer) throw errorOf(answer.fault)
  return answer.value
}

export function toJson({ headers, body, ...rest }: Arrived): ArrivedJson {
  const sent = body instanceof SourceError ? faultOf(body) : Buffer.from(body).toString('base64')
  return { ...rest, headers: [...headers], body: sent }
}

function fromJson({ headers, body, ...rest }: ArrivedJson): Arrived {
  const read = typeof body === 'string' ? new Uint8Array(Buffer.from(body, 'base64')) : errorOf(body)
  return { ...rest, headers: new Headers(headers as [string, string][]), body: read as Arrived['body'] }
}

/** A page whose calls are sent to another process. @param send returns the result of a call, or throws its error */
export function remotePage(send: (call: PageCall) => Promise<unknown>): BrowserPage {
  const plain = [...PLAIN].map((method) => [
    method,
    (...args: unknown[]) => send({ method, args } as PageCall),
  ])
  let listeners = 0
  return {
    ...(Object.fromEntries(plain) as Plain),
    answers: (url) => remoteAnswers(send, url, ++listeners),
    close: async () => void (await send({ method: 'close' })),
  }
}

function remoteAnswers(send: (call: PageCall) => Promise<unknown>, url: RegExp, listener: number): Answers {
  checkPattern(url)
  const listening = send({ method: 'listen', listener, source: url.source, flags: url.flags })
  // `next` reports this error.
  listening.catch(() => {})
  return {
    async next({ timeoutS = null } = {}) {
      await listening
      const arrived = (await send({ method: 'next', listener, timeoutS })) as ArrivedJson | null
      return arrived && replyOfArrived(fromJson(arrived))
    },
  }
}
