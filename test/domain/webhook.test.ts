import { describe, expect, test } from 'bun:test'
import type { AccountId, WebhookId } from '../../src/domain/ids.ts'
import {
  type WebhookCommand,
  type WebhookEvent,
  type WebhookState,
  webhookDecider,
} from '../../src/domain/webhook.ts'
import { folded, META } from './folded.ts'

const ids = { webhook_id: 'whk_1' as WebhookId, account_id: 'acc_1' as AccountId }
const create: WebhookCommand = {
  type: 'create',
  webhook: { ...ids, host: 'a.example', types: ['RunFailed'], description: null, secrets_ref: 'r1' },
}
const checkpoint = { position: 7, log: 'l', until: '2026-01-01T00:00:00.000Z' }

/** The state after some commands. */
const after = (...commands: WebhookCommand[]): WebhookState =>
  commands.reduce(
    (state, command) =>
      folded(webhookDecider, webhookDecider.decide(command, state) as readonly WebhookEvent[], state),
    webhookDecider.initial,
  )

describe('a webhook endpoint', () => {
  test('starts enabled with the requested settings', () => {
    expect(after(create)).toEqual({
      status: 'enabled',
      webhookId: ids.webhook_id,
      accountId: ids.account_id,
      host: 'a.example',
      types: ['RunFailed'],
      description: null,
      secretsRef: 'r1',
      reason: null,
      createdAt: META.at,
      checkpoint: null,
    })
  })

  const cases: [name: string, before: WebhookCommand[], command: WebhookCommand, then: object][] = [
    ['is created once', [create], create, []],
    [
      'changes only the named settings',
      [create],
      { type: 'change', description: 'b' },
      [{ type: 'WebhookChanged', data: { ...ids, description: 'b' } }],
    ],
    [
      'gets a new URL together with its host',
      [create],
      { type: 'change', host: 'b.example', secretsRef: 'r2' },
      [{ type: 'WebhookChanged', data: { ...ids, host: 'b.example', secrets_ref: 'r2' } }],
    ],
    [
      'does not change when its settings are already as requested',
      [create],
      { type: 'change', types: ['RunFailed'], description: null, state: 'enabled' },
      [],
    ],
    [
      'is disabled by a change of its state, with the reason "requested"',
      [create],
      { type: 'change', types: ['RunSucceeded'], state: 'disabled' },
      [
        { type: 'WebhookChanged', data: { ...ids, types: ['RunSucceeded'] } },
        { type: 'WebhookDisabled', data: { ...ids, reason: 'requested' } },
      ],
    ],
    [
      'keeps the first reason for which it was disabled',
      [create, { type: 'change', state: 'disabled', reason: 'gone' }],
      { type: 'change', state: 'disabled', reason: 'failing' },
      [],
    ],
    ['is not enabled again while it is enabled', [create], { type: 'change', state: 'enabled' }, []],
    [
      'is enabled after it was disabled',
      [create, { type: 'change', state: 'disabled', reason: 'gone' }],
      { type: 'change', state: 'enabled' },
      [{ type: 'WebhookEnabled', data: ids }],
    ],
    [
      'gets a new secret',
      [create],
      { type: 'rotate', secretsRef: 'r2', from: 'r1' },
      [{ type: 'WebhookSecretRotated', data: { ...ids, secrets_ref: 'r2' } }],
    ],
    [
      'does not replace secrets that another call has changed',
      [create, { type: 'rotate', secretsRef: 'r2', from: 'r1' }],
      { type: 'change', host: 'b.example', secretsRef: 'r3', from: 'r1' },
      { refused: 'stale' },
    ],
    [
      'advances its checkpoint',
      [create],
      { type: 'advance', checkpoint },
      [{ type: 'WebhookAdvanced', data: { ...ids, ...checkpoint } }],
    ],
    [
      'does not move its checkpoint back in its log',
      [create, { type: 'advance', checkpoint }],
      { type: 'advance', checkpoint: { ...checkpoint, position: 6 } },
      [],
    ],
    [
      'moves its checkpoint to another log at any position',
      [create, { type: 'advance', checkpoint }],
      { type: 'advance', checkpoint: { ...checkpoint, position: 1, log: 'm' } },
      [{ type: 'WebhookAdvanced', data: { ...ids, ...checkpoint, position: 1, log: 'm' } }],
    ],
    ['is deleted', [create], { type: 'delete' }, [{ type: 'WebhookDeleted', data: ids }]],
    [
      'is not found once it is deleted',
      [create, { type: 'delete' }],
      { type: 'change', state: 'enabled' },
      { refused: 'not-found' },
    ],
    ['is not created again after its deletion', [create, { type: 'delete' }], create, []],
    [
      'is not found before it is created',
      [],
      { type: 'rotate', secretsRef: 'r', from: '' },
      { refused: 'not-found' },
    ],
  ]
  test.each(cases)('%s', (_name, before, command, then) => {
    expect<object>(webhookDecider.decide(command, after(...before))).toEqual(then)
  })
})
