/**
 * What gateways and hosts say to each other of a session, sealed.
 *
 * @module
 */
import type { SignInFault } from '../../../browser/signin/errors.ts'
import type { Frame, SessionRequest } from '../gateway.ts'
import type { SessionEvent } from '../session.ts'
import type { Part, SessionSeal } from './seal.ts'

/** What a gateway asks of the host that has a session. */
export type Call =
  /** tell what still holds: a viewer has come. It has no reply but the event `attached` */
  | { readonly type: 'attach'; readonly viewer: string }
  /** in their order */
  | { readonly type: 'inputs'; readonly inputs: readonly unknown[] }
  | { readonly type: 'frame'; readonly fresh: boolean }
  | { readonly type: 'close' }
/** `n` numbers all calls of a gateway upwards. */
export type SentCall = { readonly gateway: string; readonly n: number; readonly call: Call }

export type Reply =
  /** for each input null, or why it was not taken */
  | { readonly type: 'inputs'; readonly faults: readonly (SignInFault | null)[] }
  /** `isNew`: it is there to be taken; else nothing new is to be seen so far */
  | { readonly type: 'frame'; readonly isNew: boolean }
  | { readonly type: 'done' }
  | { readonly type: 'fault'; readonly fault: SignInFault }
export type SentReply = { readonly n: number; readonly reply: Reply }

/** What a host tells of a session. `attached`: what holds at this point, for a viewer that has come. */
export type Told =
  | SessionEvent
  | { readonly type: 'attached'; readonly viewer: string; readonly events: readonly SessionEvent[] }
/** `n` numbers them upwards. */
export type SentEvent = { readonly n: number; readonly event: Told }

/** What a host must know of a session. */
export type Pending = Omit<SessionRequest, 'id' | 'source'> & { readonly source: string }

type Messages = {
  call: SentCall
  reply: SentReply
  event: SentEvent
  pending: Pending
  end: SessionEvent
}

/** A longer call is not sent, in bytes. */
export const MOST_CALL_BYTES = 512 * 1024
const ID_CHARS = 64

export const sealed = <P extends keyof Messages>(seal: SessionSeal, part: P, message: Messages[P]): Buffer =>
  seal.seal(part, Buffer.from(JSON.stringify(message)))

/** @returns undefined for what was not sealed there */
export function opened<P extends keyof Messages & Part>(
  seal: SessionSeal,
  part: P,
  bytes: Uint8Array | string,
): Messages[P] | undefined {
  const plain = seal.open(part, typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes)
  return plain && (JSON.parse(plain.toString()) as Messages[P])
}

/** The length of its head (4 bytes), its head as JSON, the picture: a third smaller than all of it in JSON. */
export function sealedFrame(seal: SessionSeal, { jpeg, ...rest }: Frame): Buffer {
  const text = Buffer.from(JSON.stringify(rest))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return seal.seal('picture', Buffer.concat([length, text, jpeg]))
}

export function openedFrame(seal: SessionSeal, bytes: Uint8Array): Frame | undefined {
  const plain = seal.open('picture', bytes)
  if (!plain) return undefined
  const end = 4 + plain.readUInt32BE(0)
  return { ...JSON.parse(plain.toString('utf8', 4, end)), jpeg: plain.subarray(end) }
}

/** A reply with the id of its session before it: the gateway has many, each with a key of its own. */
export const addressed = (id: string, reply: Buffer): Buffer => Buffer.concat([Buffer.from(id), reply])
export const sessionOf = (bytes: Buffer): string => bytes.toString('latin1', 0, ID_CHARS)
export const replyIn = (bytes: Buffer): Buffer => bytes.subarray(ID_CHARS)
