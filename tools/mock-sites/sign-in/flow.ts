/**
 * A visitor's progress through the steps of a sign-in: user name, password, second factor.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { Lockout } from './lockout.ts'
import type { User } from './users.ts'

export type Step = 'name' | 'password' | 'code'

/** A submitted form. */
export type Sent = { readonly step: string; readonly value: string; readonly remember: boolean }

export type Outcome =
  /** the next step, or the same step again with an error */
  | { readonly kind: 'step' }
  /** nothing is accepted for this many seconds */
  | { readonly kind: 'locked'; readonly seconds: number }
  | { readonly kind: 'signed-in'; readonly user: User; readonly remember: boolean }

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
    private readonly lockout: Lockout,
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

  /** Handles a submitted form. Its step may be an earlier one, if the visitor went back. */
  submit({ step, value, remember }: Sent): Outcome {
    const seconds = this.lockout.lockedS(this.subject)
    if (seconds > 0) return { kind: 'locked', seconds }
    if (step === 'code' && this.user && this.passed) return this.submitCode(this.user, value)
    if (step === 'password' && this.user) return this.submitPassword(this.user, value, remember)
    return this.submitName(value)
  }

  /** The subject whose attempts are counted: the user, or this flow before the name is known. */
  private get subject(): string {
    return this.user?.name ?? this.id
  }

  private submitName(value: string): Outcome {
    const wanted = value.trim().toLowerCase()
    this.restart()
    this.user = this.users.find(({ name }) => name.toLowerCase() === wanted)
    return this.user ? this.go('password') : this.wrong('There is no account with this user name.')
  }

  private submitPassword({ password }: User, value: string, remember: boolean): Outcome {
    this.step = 'password'
    this.passed = value === password
    this.remember = remember
    return this.passed ? this.go('code') : this.wrong('Wrong password.')
  }

  private submitCode(user: User, value: string): Outcome {
    this.step = 'code'
    if (value.replaceAll(/\s/g, '') !== user.code) return this.wrong('Wrong code.')
    this.lockout.succeeded(this.subject)
    return { kind: 'signed-in', user, remember: this.remember }
  }

  private go(step: Step): Outcome {
    this.step = step
    this.error = undefined
    return { kind: 'step' }
  }

  private wrong(error: string): Outcome {
    this.lockout.failed(this.subject)
    this.error = error
    return { kind: 'step' }
  }
}
