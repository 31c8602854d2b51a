/**
 * The answers of BatchAppend, as framed protocol buffers.
 *
 * @module
 */
import type { BatchPart } from './batch-requests.ts'
import type { Refusal } from './faults.ts'
import { frame, frameBuilt } from './grpc.ts'
import type { Outcome } from './log.ts'
import { Any, shared, status, streams } from './messages.ts'
import { ProtobufWriter } from './protobuf.ts'

const writer = new ProtobufWriter()

/** A BatchAppendResp, built by field numbers because every append needs one. */
export function batchAppended(
  { correlation, options }: BatchPart,
  { revision, position }: Extract<Outcome, { kind: 'written' }>,
): Buffer {
  const success = () => {
    if (revision === null) writer.message(2, () => {})
    else writer.number(1, revision)
    if (position === null) return writer.message(4, () => {})
    writer.message(3, () => {
      writer.number(1, position)
      writer.number(2, position)
    })
  }
  return frameBuilt(writer, () => {
    writer.bytes(1, correlation)
    writer.message(3, success)
    writer.bytes(4, options!.identifier)
  })
}

/** Why an append was refused. */
export type Failure =
  | { readonly kind: 'wrong-expected-version'; readonly actual: number | null }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too-large'; readonly limit: number }
  | { readonly kind: 'bad-request'; readonly message: string }
  | { readonly kind: 'refused'; readonly refusal: Exclude<Refusal, object> }

/** An error as it is sent; `bytes` are a message of the type. */
type Said = {
  readonly code: number
  readonly message: string
  readonly type: string
  readonly bytes: Uint8Array
}

export function batchFailed({ correlation, options }: BatchPart, failure: Failure): Buffer {
  const { code, message, type, bytes } = said(failure)
  const error = new status.Status()
  error.setCode(code)
  error.setMessage(message)
  const any = new Any()
  any.pack(bytes, type)
  error.setDetails(any)
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(shared.UUID.deserializeBinary(correlation))
  answer.setError(error)
  if (options) answer.setStreamIdentifier(shared.StreamIdentifier.deserializeBinary(options.identifier))
  return frame(answer.serializeBinary())
}

/** The error of the real server. */
function said(failure: Failure): Said {
  switch (failure.kind) {
    case 'wrong-expected-version': {
      const details = new shared.WrongExpectedVersion()
      if (failure.actual === null) details.setCurrentNoStream(new shared.Empty())
      else details.setCurrentStreamRevision(String(failure.actual))
      return named(CODE.alreadyExists, 'WrongExpectedVersion', details)
    }
    case 'deleted':
      return named(CODE.notFound, 'StreamDeleted', new shared.StreamDeleted())
    case 'too-large': {
      const details = new shared.MaximumAppendSizeExceeded()
      details.setMaxappendsize(failure.limit)
      return named(CODE.invalidArgument, 'MaximumAppendSizeExceeded', details)
    }
    case 'bad-request': {
      const details = new shared.BadRequest()
      details.setMessage(failure.message)
      return named(CODE.invalidArgument, 'BadRequest', details)
    }
    case 'refused':
      return refusalSaid(failure.refusal)
  }
}

function refusalSaid(refusal: Exclude<Refusal, object>): Said {
  if (refusal === 'timeout') return named(CODE.deadlineExceeded, 'Timeout', new shared.Timeout())
  if (refusal === 'access-denied')
    return named(CODE.permissionDenied, 'AccessDenied', new shared.AccessDenied())
  return { code: CODE.ok, message: REFUSED[refusal], type: 'google.protobuf.Empty', bytes: new Uint8Array() }
}

const REFUSED = {
  'no-leader': 'No leader info available in response',
  'not-ready': 'Server Is Not Ready',
  'too-busy': 'Server Is Busy',
} as const

/** Of google.rpc.Code. */
const CODE = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
} as const

const named = (code: number, message: string, details: { serializeBinary(): Uint8Array }): Said => ({
  code,
  message,
  type: `event_store.client.${message}`,
  bytes: details.serializeBinary(),
})
