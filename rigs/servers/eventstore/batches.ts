/**
 * Appends over a call that stays open (BatchAppend). Each message is an append or a part of one. An append is answered
 * when it is on disk. The answer carries the append's error, and the call stays open. Only a node that is not the
 * leader and knows the leader ends the call.
 *
 * @module
 */
import { batchAppended, batchFailed } from './batch-answers.ts'
import { type BatchPart, readBatchPart } from './batch-requests.ts'
import { refused } from './faults.ts'
import { asCallError, type Call } from './grpc.ts'
import { flushed, type Log } from './log.ts'
import { type Node, refusalOf } from './node.ts'
import { MAX_APPEND_BYTES, sizeOf } from './requests.ts'

/** Handles the messages of a BatchAppend call. */
export function takeAppends(node: Node, call: Call): (message: Buffer) => void {
  const begun = new Map<string, BatchPart>()
  const say = joining(call)
  const take = async (message: Buffer) => {
    await node.faults.thawed()
    const whole = completed(begun, readBatchPart(message))
    const answer = whole && (await append(node, call, whole))
    if (!answer) return
    await node.faults.late()
    say(answer)
  }
  return (message) => {
    take(message).catch((error: unknown) => call.end(asCallError(error)))
  }
}

/** An append with its earlier parts; undefined until the last part arrived. */
function completed(begun: Map<string, BatchPart>, part: BatchPart): BatchPart | undefined {
  const id = part.correlation.toString('hex')
  const before = begun.get(id)
  const all: BatchPart = before
    ? { ...before, events: [...before.events, ...part.events], wrong: before.wrong ?? part.wrong }
    : part
  if (part.final) begun.delete(id)
  else begun.set(id, all)
  return part.final ? all : undefined
}

/** @returns the answer; undefined for none */
async function append(node: Node, call: Call, request: BatchPart): Promise<Buffer | undefined> {
  const { options, events, wrong } = request
  const bad = (message: string) => batchFailed(request, { kind: 'bad-request', message })
  // The first part is missing, so no client waits for an answer.
  if (!options) return undefined
  if (options.stream === '') return bad('Required field StreamIdentifier not set.')
  if (options.deadline <= Date.now()) return batchFailed(request, { kind: 'refused', refusal: 'timeout' })
  if (wrong !== undefined) return bad(wrong)
  if (options.expected === undefined) return bad('expected_stream_position')
  if (sizeOf(events) > MAX_APPEND_BYTES) {
    return batchFailed(request, { kind: 'too-large', limit: MAX_APPEND_BYTES })
  }
  const refusal = refusalOf(node)
  if (typeof refusal === 'string') return batchFailed(request, { kind: 'refused', refusal })
  if (refusal) throw refused(refusal)
  const before = node.log.all.length
  const outcome = node.log.append(options.stream, options.expected, events)
  const position = outcome.kind === 'written' ? outcome.position : null
  const isRepeat = node.log.all.length === before
  // The real server drops it as well, "since the original write has not yet been replicated", and never answers.
  if (isRepeat && position !== null && flushing(node.log).has(position)) return undefined
  if (position !== null && !isRepeat) flushing(node.log).add(position)
  await flushed(node.log)
  if (position !== null) flushing(node.log).delete(position)
  switch (outcome.kind === 'written' ? node.faults.loses() : undefined) {
    case 'silence':
      return undefined
    case 'reset':
      call.reset()
      return undefined
    case 'timeout':
      return batchFailed(request, { kind: 'refused', refusal: 'timeout' })
  }
  return outcome.kind === 'written' ? batchAppended(request, outcome) : batchFailed(request, outcome)
}

/** Positions of appends that are written but not yet on disk. */
function flushing(log: Log): Set<number> {
  const positions = FLUSHING.get(log) ?? new Set()
  FLUSHING.set(log, positions)
  return positions
}

const FLUSHING = new WeakMap<Log, Set<number>>()

/** Sends the frames of one turn with one write. */
function joining(call: Call): (frames: Buffer) => void {
  let waiting: Buffer[] = []
  return (frames) => {
    waiting.push(frames)
    if (waiting.length > 1) return
    setImmediate(() => {
      const all = waiting
      waiting = []
      call.send(Buffer.concat(all))
    })
  }
}
