/**
 * Members of an account and their keys, without the console.
 *
 * @module
 */
import { type AccountId, newPersonId } from '../../src/domain/ids.ts'
import type { MemberCommand } from '../../src/domain/members.ts'
import { type Role, SCOPES, type Scope } from '../../src/domain/roles.ts'
import type { Service } from './service.ts'

/** Adds a person to an account. Adds an owner first, because the last owner can neither leave nor change the role. */
export async function joins({ deps }: Service, accountId: AccountId, role: Role) {
  const newId = () => newPersonId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))
  const personId = newId()
  const cause = { accountId, correlationId: 'test', causationId: 'test', now: Date.now() }
  const execute = async (command: MemberCommand) => {
    expectDone(await deps.accounts.handle(command, cause))
  }
  const join = { type: 'join', accountId, now: Date.now() } as const
  await execute({ ...join, personId: newId(), role: 'owner' })
  await execute({ ...join, personId, role })
  return {
    personId,
    /** A key that the person creates in the console. */
    async newKey(scopes: readonly Scope[] = SCOPES): Promise<string> {
      const request = { accountId, name: null, scopes, expiresAt: null }
      return (await deps.keys.create(request, { ...cause, actor: `person:${personId}` })).apiKey
    },
    becomes: (to: Role) => execute({ type: 'set-role', accountId, personId, role: to }),
    /** Leaves the account as if the process died before it revoked the keys. */
    leaves: () => execute({ type: 'remove', accountId, personId }),
  }
}

function expectDone({ refused }: { readonly refused?: string | undefined }): void {
  if (refused) throw new Error(refused)
}
