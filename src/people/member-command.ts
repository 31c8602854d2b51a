/**
 * Commands on the people of an account.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { MemberCommand } from '../domain/members.ts'
import { Refused } from '../log/refused.ts'
import type { PeopleCause } from './addresses.ts'

/** @returns whether the command changed anything @throws {Refused} */
export async function handleMember(
  accounts: Accounts,
  command: MemberCommand,
  cause: PeopleCause,
): Promise<boolean> {
  const { accountId } = command
  const outcome = await accounts.handle(command, { ...cause, accountId })
  if (outcome.refused) throw new Refused(outcome)
  return outcome.events.length > 0
}
