/**
 * Who a request comes from and what they may do.
 *
 * @module
 */
import type { KeyRefusal, Principal } from '../keys/principal.ts'
import type { Deps } from './deps.ts'
import type { Access } from './endpoint.ts'
import { Problem } from './problems.ts'

/**
 * The principal of an Authorization header.
 *
 * @param header the header's value; two headers arrive as one value with a comma, which is no key
 * @param bearer what the bearer plugin made of the request. It knows one spelling of the scheme only, and it also
 *   takes keys from the query, which are never accepted here: so it counts only where the header agrees
 * @throws {Problem} 401
 */
export function principalOf(
  keys: Deps['keys'],
  header: string | null,
  bearer: string | undefined,
): Principal | Promise<Principal> {
  const token = header?.startsWith('Bearer ') ? bearer : /^bearer +(.*)$/i.exec(header ?? '')?.[1]
  if (!token) throw new Problem('missing-key')
  const found = keys.authenticate(token.trim())
  return found instanceof Promise ? found.then(accepted) : accepted(found)
}

function accepted(found: Principal | KeyRefusal): Principal {
  if (typeof found === 'string') throw new Problem(found)
  return found
}

/** Why a principal may not use an endpoint, or undefined when it may. */
export function refusalOf(access: Access, principal: Principal): Problem | undefined {
  if (access.kind === 'public') return undefined
  if (principal.kind === 'operator') {
    if (access.kind === 'operator' || access.operator) return undefined
    return new Problem('key-scope', { detail: "The operator's key cannot make this call." })
  }
  if (access.kind === 'operator') {
    return new Problem('key-scope', { detail: "Only the operator's key can make this call." })
  }
  if (access.scope === 'any-key' || principal.scopes.includes(access.scope)) return undefined
  return new Problem('key-scope', { detail: `This key does not have the scope "${access.scope}".` })
}
