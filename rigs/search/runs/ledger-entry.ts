/**
 * A command to the account, in the steps of src/accounts/accounts.ts: read, decide, append, and again after a lost race.
 *
 * @module
 */
import type { AccountCommand } from '../../../src/domain/account.ts'
import type { RunId } from '../../../src/domain/ids.ts'
import type { Step } from '../engine.ts'
import {
  type Accounts,
  type ActorName,
  append,
  type Books,
  type Rules,
  repeat,
  type Sent,
  step,
  theAccount,
  type World,
} from './world.ts'

export type Entry =
  | { readonly at: 'read' }
  | { readonly at: 'append'; readonly known: Accounts }
  | { readonly at: 'repeat'; readonly sent: Sent<Books> }

export type EntryOutcome = {
  /** continues with the entry */
  next(world: World, entry: Entry): World
  /** @param wrote false when the command had already been applied */
  done(world: World, wrote: boolean): World
  refused(world: World, code: string): World
  unavailable(world: World): World
  /** after a lost race; by default the account is read and the command decided again */
  conflict?(world: World): World
}

export const READ: Entry = { at: 'read' }

type Charge = AccountCommand & { readonly type: 'charge' | 'refund'; readonly runId: RunId }

const withPaid = (command: Charge, { state }: Accounts): Charge => ({
  ...command,
  paid: state.credits[command.runId],
})

export function writeEntry(
  rules: Rules,
  world: World,
  actor: ActorName,
  entry: Entry,
  command: Charge,
  on: EntryOutcome,
): Step<World>[] {
  const what = command.type === 'charge' ? (command.block ? 'charges a block' : 'charges') : 'refunds'
  const decided = (state: World, known: Accounts): World => {
    const decision = rules.decideAccount(withPaid(command, known), known.state.account)
    if ('refused' in decision) return on.refused(state, decision.refused)
    return decision.length === 0 ? on.done(state, false) : on.next(state, { at: 'append', known })
  }
  // Nothing is written between a lost race and the next read, so they are one step.
  const conflict = on.conflict ?? ((state) => decided(state, state.account))
  const ok = (state: World) => on.done(state, true)
  switch (entry.at) {
    case 'read':
      return [step(actor, `reads the account before it ${what}`, decided(world, world.account))]
    case 'append': {
      const { known } = entry
      const decision = rules.decideAccount(withPaid(command, known), known.state.account)
      if ('refused' in decision) throw new Error('decided before')
      return append(
        rules,
        world,
        actor,
        { what, target: theAccount, known, events: decision },
        {
          ok,
          conflict,
          unanswered: (state, sent) => on.next(state, { at: 'repeat', sent }),
          unavailable: on.unavailable,
        },
      )
    }
    case 'repeat':
      return repeat(rules, world, actor, theAccount, entry.sent, { ok, conflict })
  }
}
