/**
 * `gleaner grant`: credits for an account.
 *
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander'
import type { AccountId } from '../domain/ids.ts'
import { accountArgument, textUpTo } from './arguments.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'
import { causeOf, mustExist, withStores } from './stores.ts'

/** The limit of credits per grant, as in the operator's API call. */
const MOST = 1e9

export function addGrant(program: Command, io: Io): void {
  program
    .command('grant')
    .description('Grants credits to an account.')
    .addArgument(accountArgument())
    .argument('<amount>', 'Credits.', parseAmount)
    .option('--reason <words>', 'The reason that the ledger shows.', textUpTo(200))
    .action((accountId: AccountId, amount: number, { reason }: { reason?: string }) =>
      withStores(io, async ({ accounts }) => {
        await mustExist(accounts, accountId)
        const entry = await accounts.handle(
          { type: 'grant', accountId, amount, reason },
          { ...causeOf(io, 'grant'), accountId },
        )
        if (entry.refused) throw new CommandFailed(`the grant was refused: ${entry.refused}`)
        io.out(`${accountId} now has ${entry.state.balance} credits\n`)
      }),
    )
}

function parseAmount(text: string): number {
  const amount = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (amount >= 1 && amount <= MOST) return amount
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST}.`)
}
