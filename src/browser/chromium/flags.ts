/**
 * How Chromium is started: without all that it does beside showing pages, and without a way to the network but those
 * that contexts are given.
 *
 * @module
 */
import { join } from 'node:path'

/** What a browser does beside showing pages, what would ask somebody, and what would slow down one that nobody sees. */
export const DISABLED_FEATURES = [
  'AcceptCHFrame',
  'DeferRendererTasksAfterInput',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'LazyFrameLoading',
  'MediaRouter',
  'ThirdPartyStoragePartitioning',
  'Translate',
  // Frames of other sites stay in the page's process, so that all requests of a page are seen in one place.
  'IsolateOrigins',
  'site-per-process',
  // Pages of the browser's own window: 120 MiB for each context.
  'PreloadTopChromeWebUI',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-site-isolation-trials',
  '--disable-blink-features=AutomationControlled',
  '--allow-pre-commit-input',
  '--disable-back-forward-cache',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-gpu',
  '--disable-prompt-on-repost',
  '--disable-quic',
  '--disable-renderer-backgrounding',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--hide-scrollbars',
  // A page that shows a few documents takes half the memory, at about the same speed.
  '--js-flags=--optimize-for-size',
  '--mute-audio',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
  // What has no proxy of its own has one that nobody can reach, and nothing looks names up.
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--lang=en-US',
  '--screen-info={1920x1080}',
  '--window-size=1366,900',
]

/** Where the profile of a browser with this folder is made. */
export const profileOf = (folder: string): string => join(folder, 'profile')

/**
 * All flags.
 *
 * @param agent what it calls itself
 * @param folder where its profile is made
 */
export function flagsFor(agent: string, folder: string): string[] {
  // Chromium's own sandbox does not work for root.
  const isRoot = process.getuid?.() === 0
  const own = [`--user-agent=${agent}`, `--user-data-dir=${profileOf(folder)}`]
  return [...FLAGS, ...own, ...(isRoot ? ['--no-sandbox'] : [])]
}
