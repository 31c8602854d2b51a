/**
 * A visitor's progress through the steps of a sign-in: user name, password, second factor.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { User } from './users.ts'

export type Step = 'name' | 'password' | 'code'

/** A submitted form. */
export type Sent = { readonly step: string; readonly value: string; readonly remember: boolean }

/** A completed sign-in. */
export type SignedIn = { readonly user: User; readonly remember: boolean }

export class Flow {
  readonly id = randomBytes(16).toString('hex')
  /** CSRF token of its forms */
  readonly token = randomBytes(16).toString('hex')
  step: Step = 'name'
  /** the error of the last submission, shown to the person */
  error: string | undefined
  user: User | undefined
  private remember = false
  private passed = false

  constructor(
    private readonly users: readonly User[],
    /** the path and query that the visitor asked for; undefined when they came to sign in */
    readonly next: string | undefined,
  ) {}

  /** Starts over with another name. */
  restart(): void {
    this.step = 'name'
    this.error = undefined
    this.user = undefined
    this.passed = false
  }

  /**
   * Handles a submitted form. Its step may be an earlier one, if the visitor went back.
   *
   * @returns the sign-in, if the form completes it; otherwise the next step, or the same step with an error, follows
   */
  submit({ step, value, remember }: Sent): SignedIn | undefined {
    if (step === 'code' && this.user && this.passed) return this.submitCode(this.user, value)
    if (step === 'password' && this.user) this.submitPassword(this.user, value, remember)
    else this.submitName(value)
    return undefined
  }

  private submitName(value: string): void {
    const wanted = value.trim().toLowerCase()
    this.restart()
    this.user = this.users.find(({ name }) => name.toLowerCase() === wanted)
    if (this.user) this.step = 'password'
    else this.error = 'There is no account with this user name.'
  }

  private submitPassword({ password }: User, value: string, remember: boolean): void {
    this.passed = value === password
    this.remember = remember
    this.step = this.passed ? 'code' : 'password'
    this.error = this.passed ? undefined : 'Wrong password.'
  }

  private submitCode(user: User, value: string): SignedIn | undefined {
    if (value.replaceAll(/\s/g, '') === user.code) return { user, remember: this.remember }
    this.step = 'code'
    this.error = 'Wrong code.'
    return undefined
  }
}
