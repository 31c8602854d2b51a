/**
 * Signing in by an OpenID Connect provider: what it is asked, and who it says somebody is. State, nonce and PKCE are kept
 * apart from the browser, found by a secret that only this browser has.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Config } from '../config.ts'
import { idOf, newSecret, type Tickets } from '../ephemeral/tickets.ts'

/** Who a provider says somebody is. */
export type Identity = {
  /** issuer and subject: what stays the same of them */
  readonly id: string
  /** only where the provider says that it is verified */
  readonly email: string | undefined
  readonly name: string | undefined
}

/** What a browser comes back to. */
export type Purpose = {
  /** a path of the console, or empty */
  readonly next: string
  /** of an invitation that is being accepted, or empty */
  readonly invitation: string
}

/** The settings of a provider that there is; without a client secret it is asked by PKCE alone. */
type ProviderSettings = {
  readonly oidcIssuer: string
  readonly oidcClientId: string
  readonly oidcClientSecret: string | null
  /** of the button */
  readonly oidcName: string
  readonly publicUrl: string
}

type Kept = Purpose & { readonly verifier: string; readonly nonce: string; readonly state: string }

/** How long somebody may take at the provider, in milliseconds. */
const TRY_MS = 600_000

/** The provider refused, or what came back is not what was asked for. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
}

export class Provider {
  readonly name: string
  /** where browsers come back to */
  private readonly callbackUrl: string
  private found: Promise<Client> | undefined

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
   * @returns where the browser goes, and its secret, for a cookie
   * @throws {ProviderRefused} when the provider is away
   */
  async begin({ next, invitation }: Purpose): Promise<{ readonly url: string; readonly secret: string }> {
    const { oidc, config } = await this.client()
    const { callbackUrl, tickets, now } = this
    const verifier = oidc.randomPKCECodeVerifier()
    const kept: Kept = { next, invitation, verifier, nonce: oidc.randomNonce(), state: oidc.randomState() }
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
   * Ends it: who the provider says it is. Each secret is good for one try.
   *
   * @param query of the address that the browser came back to, with its `?`
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
      throw new ProviderRefused('this sign-in was not begun here')
    await tickets.end('provider', 'provider', [id])
    const { verifier, nonce, state, next, invitation } = JSON.parse(ticket.text) as Kept
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
      // Many providers tell the address by their user info alone.
      const hasEmail = typeof claims.email === 'string'
      const info = hasEmail ? claims : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
      const { email, email_verified, name } = info
      const identity = {
        // A hash, since it is looked up like an address: without regard to case.
        id: `oidc:${hash('sha256', `${claims.iss}\n${claims.sub}`)}`,
        email: email_verified === true && typeof email === 'string' ? email : undefined,
        name: typeof name === 'string' ? name : undefined,
      }
      return { identity, purpose: { next, invitation } }
    } catch (error) {
      throw error instanceof ProviderRefused
        ? error
        : new ProviderRefused('the provider refused the sign-in', { cause: error })
    }
  }

  private client(): Promise<Client> {
    this.found ??= this.discover().catch((cause) => {
      this.found = undefined
      throw new ProviderRefused('the provider cannot be reached', { cause })
    })
    return this.found
  }

  private async discover(): Promise<Client> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.settings
    const oidc = await import('openid-client')
    // A provider on plain http is one that the operator has named so, such as one on this machine.
    const execute = oidcIssuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
    const auth = oidcClientSecret === null ? oidc.None() : undefined
    const secret = oidcClientSecret ?? undefined
    const config = await oidc.discovery(new URL(oidcIssuer), oidcClientId, secret, auth, { execute })
    return { oidc, config }
  }
}

type Library = typeof import('openid-client')
type Client = { readonly oidc: Library; readonly config: InstanceType<Library['Configuration']> }

/** Undefined where OIDC_ISSUER is not set. */
export function providerOf(config: Config, tickets: Tickets, now: () => number): Provider | undefined {
  const { oidcIssuer, oidcClientId } = config
  if (oidcIssuer === null || oidcClientId === null) return undefined
  return new Provider({ ...config, oidcIssuer, oidcClientId }, tickets, now)
}
