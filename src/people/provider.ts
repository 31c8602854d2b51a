/**
 * Sign-in by an OpenID Connect provider: the request to the provider, and the identity that it returns. State, nonce
 * and PKCE verifier are stored on the server, under a secret that only this browser has.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { PersonId } from '../domain/ids.ts'
import { idOf, newSecret, type Tickets } from '../ephemeral/tickets.ts'

/** A person's identity according to a provider. */
export type Identity = {
  /** hash of issuer and subject, which never change */
  readonly id: string
  /** only if the provider has verified it */
  readonly email: string | undefined
  readonly name: string | undefined
}

/** What a sign-in at the provider is for, and where the browser continues. */
export type Purpose = {
  /** a path of the console, or empty */
  readonly next: string
  /** token of an invitation that is being accepted, or empty */
  readonly invitation: string
  /** the person who asked to link their identity; undefined: the sign-in never links one to a signed-in person */
  readonly linkFor?: PersonId | undefined
}

/** The settings of a configured provider. Without a client secret, only PKCE secures the code exchange. */
type ProviderSettings = Pick<Config, 'oidcClientSecret' | 'oidcName' | 'publicUrl'> & {
  readonly oidcIssuer: string
  readonly oidcClientId: string
}

type Kept = Purpose & { readonly verifier: string; readonly nonce: string; readonly state: string }

/** Time limit for a sign-in at the provider, in milliseconds. */
const TRY_MS = 600_000

/** The provider refused, cannot be reached, or its answer does not match the request. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
}

export class Provider {
  readonly name: string
  /** where the provider sends browsers back to */
  private readonly callbackUrl: string
  private discovered: Promise<Client> | undefined

  constructor(
    private readonly settings: ProviderSettings,
    private readonly tickets: Tickets,
    /** milliseconds since 1970 */
    private readonly now: () => number,
  ) {
    this.name = settings.oidcName
    this.callbackUrl = `${settings.publicUrl}/console/provider/callback`
  }

  /**
   * Begins a sign-in.
   *
   * @returns the provider's URL for the browser, and the browser's secret, for a cookie
   * @throws {ProviderRefused} when the provider cannot be reached
   */
  async begin(purpose: Purpose): Promise<{ readonly url: string; readonly secret: string }> {
    const { oidc, config } = await this.client()
    const { callbackUrl, tickets, now } = this
    const verifier = oidc.randomPKCECodeVerifier()
    const kept: Kept = { ...purpose, verifier, nonce: oidc.randomNonce(), state: oidc.randomState() }
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: callbackUrl,
      scope: 'openid email profile',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce: kept.nonce,
      state: kept.state,
    })
    const secret = newSecret()
    const text = JSON.stringify(kept)
    await tickets.put(idOf(secret), { kind: 'provider', owner: 'provider', expiresAt: now() + TRY_MS, text })
    return { url: url.href, secret }
  }

  /**
   * Completes a sign-in and returns the identity. Each secret is valid for one attempt.
   *
   * @param query of the callback URL, with its `?`
   * @throws {ProviderRefused}
   */
  async complete(
    query: string,
    secret: string,
  ): Promise<{ readonly identity: Identity; readonly purpose: Purpose }> {
    const { callbackUrl, tickets, now } = this
    const id = idOf(secret)
    const ticket = await tickets.find(id, now())
    if (ticket?.kind !== 'provider' || ticket.takenBy !== null || !(await tickets.take(id, id, now())))
      throw new ProviderRefused('this sign-in was not started here')
    await tickets.end('provider', 'provider', [id])
    const { verifier, nonce, state, ...purpose } = JSON.parse(ticket.text) as Kept
    const { oidc, config } = await this.client()
    try {
      const tokens = await oidc.authorizationCodeGrant(config, new URL(callbackUrl + query), {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new ProviderRefused('the provider sent no id token')
      // Many providers return the address only in the user info.
      const hasEmail = typeof claims.email === 'string'
      const info = hasEmail ? claims : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
      const { email, email_verified, name } = info
      const identity = {
        // Hashed because ids are looked up like addresses, ignoring case.
        id: `oidc:${hash('sha256', `${claims.iss}\n${claims.sub}`)}`,
        email: email_verified === true && typeof email === 'string' ? email : undefined,
        name: typeof name === 'string' ? name : undefined,
      }
      return { identity, purpose }
    } catch (error) {
      throw error instanceof ProviderRefused
        ? error
        : new ProviderRefused('the provider refused the sign-in', { cause: error })
    }
  }

  private client(): Promise<Client> {
    this.discovered ??= this.discover().catch((cause) => {
      this.discovered = undefined
      throw new ProviderRefused('the provider cannot be reached', { cause })
    })
    return this.discovered
  }

  private async discover(): Promise<Client> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.settings
    const oidc = await import('openid-client')
    // Plain http is allowed if the operator configured it, for example for a provider on this machine.
    const execute = oidcIssuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
    const auth = oidcClientSecret === null ? oidc.None() : undefined
    const secret = oidcClientSecret ?? undefined
    const config = await oidc.discovery(new URL(oidcIssuer), oidcClientId, secret, auth, { execute })
    return { oidc, config }
  }
}

type Library = typeof import('openid-client')
type Client = { readonly oidc: Library; readonly config: InstanceType<Library['Configuration']> }

/** Undefined if OIDC_ISSUER is not set. */
export function providerOf(config: Config, tickets: Tickets, now: () => number): Provider | undefined {
  const { oidcIssuer, oidcClientId } = config
  if (oidcIssuer === null || oidcClientId === null) return undefined
  return new Provider({ ...config, oidcIssuer, oidcClientId }, tickets, now)
}
