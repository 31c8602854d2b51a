/**
 * Examples of runs and events, for the documentation. A test holds each to its schema.
 *
 * @module
 */

const RUN_ID = 'run_01kahx3v5c8m2q7r4t9w0y6z1b'
const ACCOUNT_ID = 'acc_3f8k2m9q1r7t5v0w4x6y8z2a3b'

export const RUN_QUEUED = {
  run_id: RUN_ID,
  run_status: 'queued',
  task_key: 'encyclopedia.search',
  created_at: '2026-11-21T10:00:00.000Z',
  started_at: null,
  finished_at: null,
  expires_at: '2026-11-21T10:15:00.000Z',
  attempt: 0,
  progress: { done: 0, total: null, message: null },
  credits: { charged: 1, refunded: 0 },
  result: null,
  artifacts: [],
  error: null,
  links: {
    self: `/v1/runs/${RUN_ID}`,
    events: `/v1/runs/${RUN_ID}/events`,
    cancel: `/v1/runs/${RUN_ID}/cancel`,
  },
}

export const RUN_SUCCEEDED = {
  ...RUN_QUEUED,
  run_status: 'succeeded',
  started_at: '2026-11-21T10:00:00.040Z',
  finished_at: '2026-11-21T10:00:00.310Z',
  expires_at: null,
  attempt: 1,
  progress: { done: 1, total: null, message: null },
  result: { items: [{ title: 'Otter', pageid: 22718 }], next_cursor: '1' },
}

export const RUN_CANCELLED = {
  ...RUN_QUEUED,
  run_status: 'cancelled',
  finished_at: '2026-11-21T10:00:02.000Z',
  expires_at: null,
  credits: { charged: 1, refunded: 1 },
}

export const EVENT = {
  specversion: '1.0',
  id: '5f0c6a1e-2b7d-4c3f-9a58-6d1e0b7c9f24',
  type: 'gleaner.CreditsCharged',
  source: `/accounts/${ACCOUNT_ID}`,
  subject: `account-${ACCOUNT_ID}`,
  time: '2026-11-21T10:00:00.000Z',
  datacontenttype: 'application/json',
  dataschema: 'urn:gleaner:event/CreditsCharged/1',
  sequence: '9f2b7c1d4e6a8035.5',
  correlationid: 'req_b3xKQz7v000001',
  causationid: 'req_b3xKQz7v000001',
  data: {
    account_id: ACCOUNT_ID,
    amount: 1,
    balance_after: 499,
    run_id: RUN_ID,
    reason: 'encyclopedia.search',
  },
}
