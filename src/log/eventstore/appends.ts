/**
 * Appends to EventStoreDB. All appends of a process share one long-lived call: each is one message, and answers arrive
 * in any order. The client's unary append, one call per append, costs several times the CPU. Its batch append also
 * shares one call, but it keeps pending appends in one process-wide table, so that a broken call fails the appends of
 * all other calls, and it has no deadline (@eventstore/db-client 6.2.1).
 *
 * @module
 */
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { clock } from '../../async/clock.ts'
import { withTimeout } from '../../async/delay.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import { randomUUID } from '../../random.ts'
import { type Expected, StoreUnavailable } from '../event-log.ts'
import { late, unavailable } from './calls.ts'
import type { AppendCall } from './connection.ts'
import { shared, streams } from './messages.ts'

/** An event to be written, its data and metadata as JSON. */
export type Proposed = {
  /** a UUID */
  readonly id: string
  readonly type: string
  readonly data: string
  readonly meta: string
}

export type AppendOutcome =
  /** `revision` and `position` of the last event; the position is undefined if the server did not report it */
  | { readonly kind: 'written'; readonly revision: number; readonly position: number | undefined }
  /** `actual` is the stream's last revision, null when the stream has no events */
  | { readonly kind: 'wrong-revision'; readonly actual: number | null }
  | { readonly kind: 'too-large' }

/** An append that has not been answered yet. */
type Pending = {
  readonly sentAt: number
  readonly timer: Timer
  resolve(outcome: AppendOutcome): void
  reject(error: StoreUnavailable): void
}

export class Appends {
  private current: Promise<OpenCall> | undefined

  /** @param open opens a call, which is replaced by a new one after it fails or ends */
  constructor(private readonly open: () => Promise<AppendCall>) {}

  /**
   * Appends all events or none.
   *
   * @param ms timeout in milliseconds
   * @throws {StoreUnavailable} when the outcome is unknown
   */
  async append(
    stream: string,
    expected: Expected,
    events: readonly Proposed[],
    ms: number,
  ): Promise<AppendOutcome> {
    const began = clock.monotonic()
    const id = randomUUID()
    const request = requestOf(id, stream, expected, events)
    const call = await withTimeout(ms, this.call(), late)
    return call.send(id, request, Math.max(1, ms - (clock.monotonic() - began)))
  }

  private call(): Promise<OpenCall> {
    if (this.current) return this.current
    const current = this.open().then(
      (call) => new OpenCall(call, forget),
      (error) => {
        throw unavailable(error)
      },
    )
    const forget = () => {
      if (this.current === current) this.current = undefined
    }
    current.catch(forget)
    this.current = current
    return current
  }
}

/** One call, from opening to its end. */
class OpenCall {
  private readonly pending = new Map<string, Pending>()
  private heardAt = clock.monotonic()
  private over: StoreUnavailable | undefined

  /** @param onEnd called once, when nothing more can be sent */
  constructor(
    private readonly call: AppendCall,
    private readonly onEnd: () => void,
  ) {
    // The listeners are never removed: an unhandled error after the end would crash the process.
    call.on('error', (error) => this.end(unavailable(error)))
    call.on('end', () => this.end(new StoreUnavailable('EventStoreDB ended the call for appends')))
    call.on('data', (answer: BatchAppendResp) => this.hear(answer))
  }

  send(id: string, request: BatchAppendReq, ms: number): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(this.over)
      const timer = setTimeout(() => this.giveUp(id), ms)
      this.pending.set(id, { sentAt: clock.monotonic(), timer, resolve, reject })
      this.call.write(request)
    })
  }

  private hear(answer: BatchAppendResp): void {
    this.heardAt = clock.monotonic()
    const pending = this.take(answer.getCorrelationId()?.getString() ?? '')
    if (!pending) return
    const outcome = outcomeOf(answer)
    if (outcome instanceof StoreUnavailable) pending.reject(outcome)
    else pending.resolve(outcome)
  }

  private giveUp(id: string): void {
    const pending = this.take(id)
    if (!pending) return
    const error = late()
    pending.reject(error)
    // If no answer at all has arrived since the append was sent, the call is silently dead. The next append opens
    // another.
    if (this.heardAt <= pending.sentAt) {
      this.end(error)
      this.call.cancel()
    }
  }

  private take(id: string): Pending | undefined {
    const pending = this.pending.get(id)
    if (!pending) return undefined
    this.pending.delete(id)
    clearTimeout(pending.timer)
    return pending
  }

  private end(error: StoreUnavailable): void {
    if (this.over) return
    this.over = error
    this.onEnd()
    for (const id of [...this.pending.keys()]) this.take(id)?.reject(error)
  }
}

function requestOf(
  correlation: string,
  stream: string,
  expected: Expected,
  events: readonly Proposed[],
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options()
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream))
  options.setStreamIdentifier(identifier)
  if (expected === 'no-stream') options.setNoStream(new shared.Empty())
  else options.setStreamPosition(String(expected))
  // No deadline: it would be a time of day, and the server's clock may differ.
  const request = new streams.BatchAppendReq()
  request.setCorrelationId(uuid(correlation))
  request.setOptions(options)
  request.setProposedMessagesList(events.map(proposed))
  request.setIsFinal(true)
  return request
}

function proposed({ id, type, data, meta }: Proposed): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
  message.setId(uuid(id))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  message.setData(Buffer.from(data))
  message.setCustomMetadata(Buffer.from(meta))
  return message
}

function uuid(text: string): UUID {
  const id = new shared.UUID()
  id.setString(text)
  return id
}

/** Decodes an answer; an error if it leaves open whether the events were written. */
function outcomeOf(answer: BatchAppendResp): AppendOutcome | StoreUnavailable {
  const error = answer.getError()
  if (!error) {
    const success = answer.getSuccess()
    const commit = success?.getPosition()?.getCommitPosition()
    const position = commit === undefined ? undefined : Number(commit)
    return { kind: 'written', revision: Number(success?.getCurrentRevision()), position }
  }
  const details = error.getDetails()
  switch (details?.getTypeName()) {
    case WRONG_VERSION: {
      const wrong = details.unpack(shared.WrongExpectedVersion.deserializeBinary, WRONG_VERSION)
      const actual = wrong?.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : null
      return { kind: 'wrong-revision', actual }
    }
    case 'event_store.client.MaximumAppendSizeExceeded':
      return { kind: 'too-large' }
  }
  return unavailable(new Error(error.getMessage()))
}

const WRONG_VERSION = 'event_store.client.WrongExpectedVersion'
