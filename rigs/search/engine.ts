/**
 * Explicit-state search of every state that a model can reach. It is breadth-first, so the trace to a wrong state is
 * one of the shortest. A state is a record of immutable parts. Two states are equal when their parts are equal.
 *
 * @module
 */

/** One step of one actor. */
export type Step<State> = {
  /** the actor and its action, for traces */
  readonly name: string
  readonly state: State
  /**
   * The step may never happen: a crash, a lost answer, or an optional action of a client. All other steps are work that
   * is done sooner or later.
   */
  readonly isChance?: boolean
}

export type Model<State extends object> = {
  readonly initial: State
  /** Every possible next step of any actor. */
  steps(state: State): readonly Step<State>[]
  /** What is wrong with a state; undefined when nothing is wrong. Called for every state. */
  wrong(state: State): string | undefined
  /**
   * Whether all work is done. Such a state must be reachable from every state by work alone, whatever optional steps
   * happened before.
   */
  isSettled(state: State): boolean
  /** What is wrong with a settled state; undefined when nothing is wrong. */
  wrongAtEnd(state: State): string | undefined
  /** The name of the outcome of a settled state. A search reports all outcomes that it found. */
  ends?(state: State): readonly string[]
}

export type Violation = {
  readonly what: string
  /** the steps from the first state to the wrong one */
  readonly trace: readonly string[]
}

export type Searched = {
  readonly states: number
  readonly steps: number
  /** number of steps from the first state to the farthest one */
  readonly depth: number
  /** number of states in which all work is done */
  readonly settled: number
  /** outcomes of settled states, in alphabetical order */
  readonly ends: readonly string[]
  readonly violation?: Violation | undefined
}

/** More states than this indicate a mistake in the bounds of a model. */
const MOST_STATES = 5_000_000

/**
 * Visits all states. Stops at the first wrong state.
 *
 * @throws {RangeError} when there are more than `most` states
 */
export function search<State extends object>(model: Model<State>, most = MOST_STATES): Searched {
  const space = new Space<State>(most)
  space.add(model.initial, -1, 'start')
  for (let index = 0; index < space.size; index++) {
    const state = space.take(index)
    const isSettled = model.isSettled(state)
    const what = model.wrong(state) ?? (isSettled ? model.wrongAtEnd(state) : undefined)
    if (what !== undefined) return space.searched({ what, trace: space.trace(index) })
    if (isSettled) space.settle(index, model.ends?.(state) ?? [])
    for (const { name, state: next, isChance } of model.steps(state)) {
      const to = space.add(next, index, name)
      if (!isChance) space.work(index, to)
    }
  }
  const stuck = space.stuck()
  if (stuck === undefined) return space.searched()
  return space.searched({ what: 'from here on the work is never done', trace: space.trace(stuck) })
}

/** The visited states, in the order of their distance from the first one. */
class Space<State extends object> {
  private readonly settled: number[] = []
  private readonly ends = new Set<string>()
  private readonly indexes = new Map<string, number>()
  private readonly states: (State | undefined)[] = []
  private readonly from: number[] = []
  private readonly names: string[] = []
  private readonly depths: number[] = []
  /** pairs of states: a step of work leads from the first to the second */
  private readonly workFrom: number[] = []
  private readonly workTo: number[] = []
  private readonly parts = new Parts()
  private steps = -1

  constructor(private readonly most: number) {}

  get size(): number {
    return this.states.length
  }

  /** @returns the index of the state, which is an existing one if the state was visited before */
  add(state: State, from: number, name: string): number {
    this.steps++
    const identity = this.parts.identityOf(state)
    const known = this.indexes.get(identity)
    if (known !== undefined) return known
    const index = this.states.length
    if (index === this.most) throw new RangeError(`the model has more than ${this.most} states`)
    this.indexes.set(identity, index)
    this.states.push(state)
    this.from.push(from)
    this.names.push(name)
    this.depths.push(from < 0 ? 0 : this.depths[from]! + 1)
    return index
  }

  /** Takes a state for its one visit. */
  take(index: number): State {
    const state = this.states[index]
    if (state === undefined) throw new Error('a state is taken once')
    this.states[index] = undefined
    return state
  }

  settle(index: number, ends: readonly string[]): void {
    this.settled.push(index)
    for (const end of ends) this.ends.add(end)
  }

  work(from: number, to: number): void {
    this.workFrom.push(from)
    this.workTo.push(to)
  }

  trace(index: number): string[] {
    const names: string[] = []
    for (let at = index; this.from[at]! >= 0; at = this.from[at]!) names.unshift(this.names[at]!)
    return names
  }

  searched(violation?: Violation): Searched {
    const { size: states, steps } = this
    // Breadth first: the last state is one of the farthest.
    const depth = this.depths.at(-1) ?? 0
    const ends = [...this.ends].sort()
    return { states, steps, depth, settled: this.settled.length, ends, violation }
  }

  /** The first state from which no work leads to a settled state; undefined when none exists. */
  stuck(): number | undefined {
    const { workFrom, workTo } = this
    const begins = new Int32Array(this.size + 1)
    for (const to of workTo) begins[to + 1]!++
    for (let i = 0; i < this.size; i++) begins[i + 1]! += begins[i]!
    const sources = new Int32Array(workFrom.length)
    const filled = begins.slice()
    for (let i = 0; i < workFrom.length; i++) sources[filled[workTo[i]!]!++] = workFrom[i]!
    const reaches = new Uint8Array(this.size)
    const open = [...this.settled]
    for (const index of open) reaches[index] = 1
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (let i = begins[at]!; i < begins[at + 1]!; i++) {
        const source = sources[i]!
        if (reaches[source]) continue
        reaches[source] = 1
        open.push(source)
      }
    }
    const stuck = reaches.indexOf(0)
    return stuck < 0 ? undefined : stuck
  }
}

/** Numbers for the parts of states. Parts with equal JSON get the same number. */
class Parts {
  private readonly byText = new Map<string, number>()
  private readonly byObject = new WeakMap<object, number>()

  identityOf(state: object): string {
    let identity = ''
    for (const part of Object.values(state)) identity += `${this.numberOf(part)},`
    return identity
  }

  private numberOf(part: unknown): number {
    const isObject = typeof part === 'object' && part !== null
    const known = isObject ? this.byObject.get(part) : undefined
    if (known !== undefined) return known
    const text = JSON.stringify(part)
    let number = this.byText.get(text)
    if (number === undefined) {
      number = this.byText.size
      this.byText.set(text, number)
    }
    if (isObject) this.byObject.set(part, number)
    return number
  }
}
