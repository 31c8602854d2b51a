/**
 * A gateway to sessions at hosts of any process. Any gateway serves any session at any moment.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from '../../../logger.ts'
import type { Gateway, SessionRequest, Viewer } from '../gateway.ts'
import { MOST_WAITING } from '../session.ts'
import { Calls } from './calls.ts'
import { type PendingDeps, PendingSession } from './pending.ts'
import type { TransportReader } from './transport.ts'
import { Trouble } from './trouble.ts'
import { RelayViewer } from './viewer.ts'

export type RelayGatewayDeps = Omit<PendingDeps, 'trouble'> & { readonly logger: Logger }

export class RelayGateway implements Gateway {
  private readonly name = `gateway_${randomBytes(8).toString('hex')}`
  private readonly deps: PendingDeps
  private readonly calls: Calls
  private reader: TransportReader | undefined
  /** those that are told, by session */
  private readonly viewers = new Map<string, RelayViewer>()
  private readonly stopping = new AbortController()

  constructor({ logger, ...deps }: RelayGatewayDeps) {
    const trouble = new Trouble(logger)
    this.deps = { ...deps, trouble }
    this.calls = new Calls(this.name, deps.transport, trouble)
  }

  /** Begins to hear replies. */
  start(): void {
    const { transport, trouble } = this.deps
    this.reader = transport.reader()
    this.reader.replies(this.name, (bytes) =>
      trouble.guarded('a reply of a sign-in could not be read', () => this.calls.receive(bytes)),
    )
    this.reader.news(() => {
      for (const viewer of this.viewers.values()) viewer.nudge()
    })
  }

  /** Tells nobody any more; sessions go on, and those that are pending keep their place. */
  async stop(): Promise<void> {
    this.stopping.abort()
    for (const viewer of this.viewers.values()) viewer.leave()
    this.reader?.close()
  }

  async open(request: SessionRequest): Promise<void> {
    const session = new PendingSession(request.id, this.deps)
    if (await session.offer(request, MOST_WAITING)) void session.guard(request, this.stopping.signal)
  }

  async view(id: string): Promise<Viewer | undefined> {
    // Whoever makes ids up costs no more than this.
    if (!(await this.deps.transport.look(id))) return undefined
    const { trouble } = this.deps
    return new RelayViewer(id, this.deps, {
      calls: this.calls,
      read: (hear) =>
        this.reader?.events(id, (bytes) =>
          trouble.guarded('an event of a sign-in could not be read', () => hear(bytes)),
        ) ?? (() => {}),
      onEvents: (viewer, isOpen) => this.viewed(viewer, isOpen),
    })
  }

  private viewed(viewer: RelayViewer, isOpen: boolean): void {
    const before = this.viewers.get(viewer.id)
    if (isOpen) {
      before?.leave()
      this.viewers.set(viewer.id, viewer)
    } else if (before === viewer) this.viewers.delete(viewer.id)
  }
}
