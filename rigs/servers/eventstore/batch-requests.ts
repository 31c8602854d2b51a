/**
 * The requests of BatchAppend, read by field numbers.
 *
 * @module
 */
import type { Expected, Proposed } from './log.ts'
import { eachField } from './protobuf.ts'
import { proposedOf } from './requests.ts'

/** An append or a part of one. */
export type BatchPart = {
  /** the append's id, in the received form, to be sent back */
  readonly correlation: Buffer
  /** undefined in a part that continues an append */
  readonly options: BatchOptions | undefined
  readonly events: readonly Proposed[]
  /** Whether this is the append's last part. */
  readonly final: boolean
  /** The error of an invalid event. */
  readonly wrong: string | undefined
}

export type BatchOptions = {
  /** its name, empty if missing; in the received form, to be sent back */
  readonly stream: string
  readonly identifier: Buffer
  readonly expected: Expected | undefined
  /** Milliseconds since 1970. */
  readonly deadline: number
}

const NOTHING: Buffer = Buffer.alloc(0)

export function readBatchPart(message: Buffer): BatchPart {
  let correlation = NOTHING
  let options: BatchOptions | undefined
  let final = false
  let wrong: string | undefined
  const events: Proposed[] = []
  eachField(
    message,
    (field, bytes) => {
      if (field === 1) correlation = bytes
      else if (field === 2) options = optionsOf(bytes)
      else if (field === 3) {
        try {
          events.push(proposedOf(bytes))
        } catch (error) {
          wrong = (error as Error).message
        }
      }
    },
    (field, value) => {
      if (field === 4) final = value === 1
    },
  )
  return { correlation, options, events, final, wrong }
}

function optionsOf(message: Buffer): BatchOptions {
  let identifier = NOTHING
  let stream = ''
  let expected: Expected | undefined
  let deadline = Number.POSITIVE_INFINITY
  eachField(
    message,
    (field, bytes) => {
      if (field === 1) {
        identifier = bytes
        eachField(bytes, (of, name) => {
          if (of === 3) stream = name.toString('utf8')
        })
      } else if (field === 6) {
        eachField(
          bytes,
          () => {},
          (of, value) => {
            if (of === 1) deadline = value * 1000
          },
        )
      } else expected = EXPECTED[field] ?? expected
    },
    (field, value) => {
      if (field === 2) expected = value
    },
  )
  return { stream, identifier, expected, deadline }
}

const EXPECTED: Readonly<Record<number, Expected>> = { 3: 'no-stream', 4: 'any', 5: 'stream-exists' }
