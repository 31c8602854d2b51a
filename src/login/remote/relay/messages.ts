/**
 * What desks and posts say to each other of a visit, and the bytes that it is on its way.
 *
 * ```
 * length of the id (2 bytes) | id of the visit | sealed: length of the JSON (4 bytes) | JSON | a picture, if there is one
 * ```
 *
 * @module
 */

import type { Frame } from '../../../browser/host/sign-in.ts'
import type { SignInFault } from '../../../browser/signin/errors.ts'
import type { VisitWanted } from '../gateway.ts'
import type { VisitEvent } from '../session.ts'
import type { Part, VisitSeal } from './seal.ts'

/** What a desk asks of the post that has a visit. */
export type Question =
  /** I attend; `after`: the number of the event that I heard last, null for none */
  | { readonly type: 'attend'; readonly attendance: string; readonly after: number | null }
  /** in their order */
  | { readonly type: 'inputs'; readonly inputs: readonly unknown[] }
  | { readonly type: 'frame'; readonly fresh: boolean }
  | { readonly type: 'close' }

/** A question on its way. `n`: numbers all questions of a desk upwards, so that one that comes twice is known. */
export type Asked = { readonly desk: string; readonly n: number; readonly question: Question }

/** What a post answers. */
export type Answer =
  /** the events behind the one that was heard last, or what still holds; `last`: the number of the last of them */
  | { readonly type: 'attended'; readonly events: readonly VisitEvent[]; readonly last: number }
  /** for each input null, or why it was not taken */
  | { readonly type: 'inputs'; readonly faults: readonly (SignInFault | null)[] }
  /** null: nothing new is to be seen so far */
  | { readonly type: 'frame'; readonly frame: Frame | null }
  | { readonly type: 'done' }
  | { readonly type: 'fault'; readonly fault: SignInFault }
  /** the post has no such visit: not yet, or no longer */
  | { readonly type: 'unknown' }

/** What a post says to a desk: an answer, or an event with its number. */
export type ToDesk =
  | { readonly type: 'answer'; readonly n: number; readonly answer: Answer }
  | { readonly type: 'event'; readonly attendance: string; readonly n: number; readonly event: VisitEvent }

/** What a post must know of a visit. */
export type Offer = Omit<VisitWanted, 'id' | 'source'> & { readonly source: string }

/** Larger messages are not sent, and not read, in bytes. */
export const MOST_BYTES = 8 * 1024 * 1024

/** A message, and the picture in it apart from the rest. */
type Split = { readonly json: unknown; readonly bytes?: Uint8Array }

export const offerOf = ({ id: _, source, ...rest }: VisitWanted): Offer => ({ ...rest, source: source.name })

/** As text, for what is kept. */
export const sealedJson = (seal: VisitSeal, part: Part, value: Offer | VisitEvent): string =>
  seal.seal(part, packed({ json: value })).toString('base64')

/** @returns undefined for what was not sealed there */
export function openedJson<T extends Offer | VisitEvent>(
  seal: VisitSeal,
  part: Part,
  text: string,
): T | undefined {
  return unpacked(seal.open(part, Buffer.from(text, 'base64')))?.json as T | undefined
}

export const askedBytes = (id: string, seal: VisitSeal, asked: Asked): Buffer =>
  enveloped(id, seal.seal('to-post', packed({ json: asked })))

export const askedIn = (seal: VisitSeal, sealed: Uint8Array): Asked | undefined =>
  unpacked(seal.open('to-post', sealed))?.json as Asked | undefined

export function toDeskBytes(id: string, seal: VisitSeal, message: ToDesk): Buffer {
  return enveloped(id, seal.seal('to-desk', packed(split(message))))
}

export function toDeskIn(seal: VisitSeal, sealed: Uint8Array): ToDesk | undefined {
  const opened = unpacked(seal.open('to-desk', sealed))
  return opened && joined(opened)
}

/** The visit that a message is of, and what is sealed in it; undefined for what is none of ours. */
export function envelopeIn(bytes: Buffer): { readonly id: string; readonly sealed: Buffer } | undefined {
  if (bytes.length < 2 || bytes.length > MOST_BYTES) return undefined
  const end = 2 + bytes.readUInt16BE(0)
  return { id: bytes.toString('utf8', 2, end), sealed: bytes.subarray(end) }
}

function enveloped(id: string, sealed: Uint8Array): Buffer {
  const name = Buffer.from(id)
  const head = Buffer.alloc(2)
  head.writeUInt16BE(name.length)
  return Buffer.concat([head, name, sealed])
}

function packed({ json, bytes = new Uint8Array() }: Split): Buffer {
  const text = Buffer.from(JSON.stringify(json))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(text.length)
  return Buffer.concat([head, text, bytes])
}

function unpacked(plain: Buffer | undefined): Split | undefined {
  if (!plain) return undefined
  const end = 4 + plain.readUInt32BE(0)
  return { json: JSON.parse(plain.toString('utf8', 4, end)), bytes: plain.subarray(end) }
}

/** A picture is a third smaller as bytes than in JSON. */
function split(message: ToDesk): Split {
  if (message.type !== 'answer' || message.answer.type !== 'frame' || !message.answer.frame) {
    return { json: message }
  }
  const { jpeg, ...frame } = message.answer.frame
  return { json: { ...message, answer: { type: 'frame', frame } }, bytes: jpeg }
}

function joined({ json, bytes = new Uint8Array() }: Split): ToDesk {
  const message = json as ToDesk
  if (message.type !== 'answer' || message.answer.type !== 'frame' || !message.answer.frame) return message
  const frame: Frame = { ...message.answer.frame, jpeg: bytes }
  return { ...message, answer: { type: 'frame', frame } }
}
