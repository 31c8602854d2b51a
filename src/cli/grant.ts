/**
 * `gleaner grant`: credits for an account.
 *
 * @module
 */
import { type Command, CommandFailed, OK, wholeNumber } from './command.ts'
import { accountOf, causeOf, withStores } from './stores.ts'

/** The most credits of one grant, as for the operator's call. */
const MOST = 1e9

export const grant: Command = {
  name: 'grant',
  about: 'Grants credits to an account.',
  operands: '<account> <amount>',
  count: [2, 2],
  options: { reason: { type: 'string', value: '<words>', about: 'What the ledger says beside it.' } },
  details: '<account> is an id like acc_…, or "default" for the account of the first start.',
  async run(call) {
    const [id, amountText] = call.operands
    const amount = wholeNumber(amountText ?? '', '<amount>', 1, MOST)
    return withStores(call, async ({ ledger }) => {
      const accountId = await accountOf(ledger, id)
      const entry = await ledger.execute(
        { type: 'grant', accountId, amount, reason: call.text('reason') },
        { ...causeOf(call, 'grant'), accountId },
      )
      if (entry.refused) throw new CommandFailed(`${accountId} was refused: ${entry.refused.code}`)
      call.io.out(`${accountId} now has ${entry.state.balance} credits\n`)
      return OK
    })
  },
}
