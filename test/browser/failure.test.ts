/**
 * Failures of pages: a failure of the browser is a defect, and the run is errored; a failure of the source is reported
 * as the source's.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { BrowserFailed, failureOf, NoBrowser, NotStarted } from '../../src/browser/failure.ts'
import { errorOf, faultOf } from '../../src/browser/host/page-calls.ts'
import { TryAgain, Unavailable } from '../../src/plugin/errors.ts'
import { endOf } from '../../src/worker/process/child/execution.ts'

const OURS = 'errored defect'
const ITS = 'failed source-unavailable'

test.each<[string, unknown, string, boolean]>([
  ['no browser is installed', new NoBrowser(), OURS, false],
  ['the browser does not start', new NotStarted(), OURS, true],
  ['the browser or its host ended', new BrowserFailed('the browser ended'), OURS, true],
  ['the page crashed', new Error('Page crashed'), OURS, true],
  [
    'the connection to the page closed',
    new Error('Target page, context or browser has been closed'),
    OURS,
    true,
  ],
  [
    'the browser cannot reach its proxy',
    new Error('net::ERR_PROXY_CONNECTION_FAILED at https://x.example/'),
    OURS,
    true,
  ],
  [
    'the source refuses connections',
    new Error('net::ERR_CONNECTION_REFUSED at https://x.example/'),
    ITS,
    false,
  ],
  [
    'no host can be reached',
    new Error('net::ERR_TUNNEL_CONNECTION_FAILED at https://x.example/'),
    ITS,
    false,
  ],
  ['the source does not answer', new Unavailable('no answer within 30 s'), ITS, false],
  ['the page moved on', new Error('Navigation interrupted by another navigation'), ITS, true],
  ['the task asks for another try', new TryAgain('without its script'), ITS, true],
])('a page fails as the browser’s or the source’s fault: %s', (_, error, expected, again) => {
  // As it is serialized between processes.
  const failure = errorOf(faultOf(failureOf(error)))
  const end = endOf(failure)
  expect(`${end.status} ${'code' in end && end.code}`).toBe(expected)
  expect(failure instanceof TryAgain).toBe(again)
})
