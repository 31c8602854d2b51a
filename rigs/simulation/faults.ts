/**
 * The faults of a run: a list that a seed generates, from which any fault may be left out.
 *
 * @module
 */
import type { Seeded } from './random.ts'

/** The servers that nodes call over the network. */
export const SERVERS = ['log', 'redis', 'objects'] as const
export type Server = (typeof SERVERS)[number]

/** Start and duration, in milliseconds. */
type Span = { readonly at: number; readonly forMs: number }

export type Fault =
  /** a process is killed and restarted after a while */
  | ({ readonly kind: 'crash'; readonly node: number } & Span)
  /** a process is killed right after a write took effect, before it gets the answer */
  | {
      readonly kind: 'crash after a write'
      readonly point: string
      readonly nth: number
      readonly forMs: number
    }
  /** a process is suspended and resumed without noticing it */
  | ({ readonly kind: 'freeze'; readonly node: number } & Span)
  | {
      readonly kind: 'freeze after a write'
      readonly point: string
      readonly nth: number
      readonly forMs: number
    }
  /** a process is suspended, and resumed at the moment when another process writes the takeover */
  | {
      readonly kind: 'freeze until overtaken'
      readonly point: string
      readonly nth: number
      readonly by: string
      readonly forMs: number
    }
  /**
   * a process is suspended with a write in flight. The write arrives and the process resumes right after a write of
   * another process, which may be suspended in turn
   */
  | {
      readonly kind: 'write held until overtaken'
      readonly point: string
      readonly nth: number
      readonly by: string
      readonly forMs: number
    }
  /** a process is told to shut down and is started again */
  | ({ readonly kind: 'restart'; readonly node: number } & Span)
  /** the clock of a machine is set forward or back, and corrected after a while */
  | ({ readonly kind: 'clock jump'; readonly node: number; readonly byMs: number } & Span)
  /** a server refuses all calls */
  | ({ readonly kind: 'store away'; readonly server: Server } & Span)
  /** a server refuses writes */
  | ({ readonly kind: 'disk full'; readonly server: Server } & Span)
  /** one node and one server cannot reach each other */
  | ({ readonly kind: 'partition'; readonly server: Server; readonly node: number } & Span)
  /** calls take effect but their answers are lost: the outcome is unknown */
  | ({ readonly kind: 'answer lost'; readonly server: Server; readonly share: number } & Span)
  /** calls do not arrive */
  | ({ readonly kind: 'request lost'; readonly server: Server; readonly share: number } & Span)
  /** appends arrive twice */
  | ({ readonly kind: 'append doubled'; readonly share: number } & Span)
  /** calls take so long that later calls overtake them */
  | ({ readonly kind: 'out of order'; readonly server: Server } & Span)
  /** a node receives the events of the log late */
  | ({ readonly kind: 'slow subscriber'; readonly node: number; readonly byMs: number } & Span)
  /** Redis loses all data */
  | { readonly kind: 'redis emptied'; readonly at: number }
  /** processes of plugins are killed from outside */
  | ({ readonly kind: 'process killed'; readonly share: number } & Span)
  /** connections of clients break before or after their request was handled */
  | ({ readonly kind: 'client cut off'; readonly share: number } & Span)
  /** endpoints of webhooks fail */
  | ({ readonly kind: 'endpoint down'; readonly share: number } & Span)

export type FaultKind = Fault['kind']

/** All kinds, so that a report can list those that never fired. */
export const FAULT_KINDS = [
  'crash',
  'crash after a write',
  'freeze',
  'freeze after a write',
  'freeze until overtaken',
  'write held until overtaken',
  'restart',
  'clock jump',
  'store away',
  'disk full',
  'partition',
  'answer lost',
  'request lost',
  'append doubled',
  'out of order',
  'slow subscriber',
  'redis emptied',
  'process killed',
  'client cut off',
  'endpoint down',
] as const satisfies readonly FaultKind[]

export type FaultSettings = {
  readonly nodes: number
  /** faults begin and end within this time, in milliseconds */
  readonly workMs: number
  readonly leaseMs: number
  /** the writes after which a process may be killed */
  readonly points: readonly string[]
}

/** A charge for a further block of a run, among all charges. */
export const BLOCK_CHARGED = 'CreditsCharged for a block'
/** Pairs of a write of one process and the write of another process that takes over or ends the work. */
const TAKEOVERS = [
  ['CreditsCharged', 'CreditsRefunded'],
  ['CreditsCharged', 'RunNotAdmitted'],
  ['RunStarted', 'RunRequeued'],
  ['RunStarted', 'RunStarted'],
  ['RunProgressed', 'RunRequeued'],
  ['artifacts.put result', 'RunStarted'],
  ['deliveries.queue', 'deliveries.lease'],
  ['read-models.commit', 'read-models.commit'],
  ['AddressClaimed', 'MemberRemoved'],
] as const
/** Pairs of a write that was decided before the write of another process, and arrives after it. */
const LATE_WRITES = [
  [BLOCK_CHARGED, 'artifacts.put result'],
  [BLOCK_CHARGED, 'artifacts.put result'],
  ['CreditsCharged', 'RunRequeued'],
  ['RunRequested', 'RunNotAdmitted'],
  ['RunRequested', 'RunRequested'],
  ['RunStarted', 'RunStarted'],
  ['RunProgressed', 'RunRequeued'],
  ['RunSucceeded', 'RunRequeued'],
  ['RunSucceeded', 'RunCancelRequested'],
  ['RunCancelRequested', 'RunSucceeded'],
  ['MemberInvited', 'MemberRoleChanged'],
  ['MemberRoleChanged', 'MemberRoleChanged'],
  ['MemberRemoved', 'MemberRoleChanged'],
  ['AddressClaimed', 'AddressClaimed'],
  ['deliveries.put', 'deliveries.lease'],
  ['deliveries.queue', 'deliveries.lease'],
  ['read-models.commit', 'read-models.commit'],
] as const
const REBUILDING: readonly string[] = ['read-models.begin', 'read-models.publish']
/** A charge without its run is closed after 30 seconds. */
const CLOSING: readonly string[] = ['RunNotAdmitted', 'CreditsRefunded']
const CLOSED_MS = 33_000

/** The faults of a seed: none in a few runs, up to eight in the others. */
export function faultsOf(random: Seeded, settings: FaultSettings): Fault[] {
  const { nodes, workMs, leaseMs, points } = settings
  const at = () => random.whole(0, workMs - 1)
  const node = () => random.whole(0, nodes - 1)
  const server = () => random.pick(SERVERS)
  const share = () => random.pick([0.02, 0.1, 0.5])
  /** Durations around the length of a lease are the relevant ones. */
  const outage = () => random.pick([50, 300, 1000, leaseMs - 100, leaseMs + 200, 2 * leaseMs])
  const span = () => ({ at: at(), forMs: outage() })
  const overtaken = (pairs: typeof TAKEOVERS | typeof LATE_WRITES) => {
    const [point, by] = random.pick<readonly [string, string]>(pairs)
    const nth = random.whole(1, /^Member|^Address/.test(point) ? 2 : point === BLOCK_CHARGED ? 3 : 8)
    return { point, nth, by, forMs: CLOSING.includes(by) ? CLOSED_MS : 3 * leaseMs }
  }
  const point = () => ({ point: random.pick(points), nth: random.pick([1, 1, 1, 2, 3, 5]), forMs: outage() })
  const make: Record<FaultKind, () => Fault> = {
    crash: () => ({ kind: 'crash', node: node(), ...span() }),
    'crash after a write': () => ({ kind: 'crash after a write', ...point() }),
    freeze: () => ({ kind: 'freeze', node: node(), ...span() }),
    'freeze after a write': () => ({ kind: 'freeze after a write', ...point() }),
    'freeze until overtaken': () => ({ kind: 'freeze until overtaken', ...overtaken(TAKEOVERS) }),
    'write held until overtaken': () => ({ kind: 'write held until overtaken', ...overtaken(LATE_WRITES) }),
    restart: () => ({ kind: 'restart', node: node(), ...span() }),
    'clock jump': () => ({
      kind: 'clock jump',
      node: node(),
      byMs: random.pick([-leaseMs, -300, 300, leaseMs / 2]),
      ...span(),
    }),
    'store away': () => ({ kind: 'store away', server: server(), ...span() }),
    'disk full': () => ({ kind: 'disk full', server: server(), ...span() }),
    partition: () => ({ kind: 'partition', server: server(), node: node(), ...span() }),
    'answer lost': () => ({ kind: 'answer lost', server: server(), share: share(), ...span() }),
    'request lost': () => ({ kind: 'request lost', server: server(), share: share(), ...span() }),
    'append doubled': () => ({ kind: 'append doubled', share: share(), ...span() }),
    'out of order': () => ({ kind: 'out of order', server: server(), ...span() }),
    'slow subscriber': () => ({
      kind: 'slow subscriber',
      node: node(),
      byMs: random.pick([100, 1000, leaseMs]),
      ...span(),
    }),
    'redis emptied': () => ({ kind: 'redis emptied', at: at() }),
    'process killed': () => ({ kind: 'process killed', share: share(), ...span() }),
    'client cut off': () => ({ kind: 'client cut off', share: share(), ...span() }),
    'endpoint down': () => ({ kind: 'endpoint down', share: share(), ...span() }),
  }
  const kinds: FaultKind[] = [
    ...FAULT_KINDS,
    // The faults that break protocols most often.
    ...Array.from({ length: 5 }, () => 'crash after a write' as const),
    'freeze until overtaken',
    'freeze until overtaken',
    'write held until overtaken',
    'write held until overtaken',
    'freeze after a write',
    'freeze after a write',
    'answer lost',
  ]
  const faults = Array.from({ length: random.whole(0, 8) }, () => make[random.pick(kinds)]())
  // Hardly anything but a crash between the charge and the run leaves a charge without its run.
  const isClosed = faults.some((fault) => 'point' in fault && fault.point === 'RunNotAdmitted')
  if (isClosed)
    faults.push({ ...point(), kind: 'crash after a write', point: 'CreditsCharged', nth: random.whole(1, 6) })
  // Read models are hardly ever rebuilt unless they were lost.
  if (faults.some((fault) => 'point' in fault && REBUILDING.includes(fault.point)))
    faults.push({ kind: 'redis emptied', at: at() })
  // An emptied store may lose only events that an endpoint has not accepted yet.
  if (faults.some(({ kind }) => kind === 'redis emptied'))
    faults.push({ kind: 'endpoint down', share: 0.5, at: 0, forMs: workMs })
  // Only without other faults it is known what the death of a process of plugins may cost.
  if (faults.length === 0 && random.chance(0.5))
    faults.push({ kind: 'process killed', share: random.pick([0.02, 0.1]), at: 0, forMs: workMs })
  return faults
}
