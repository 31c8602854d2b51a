/**
 * Command line flags of Chromium. They disable everything except showing pages, and all network access except the
 * contexts' own proxies.
 *
 * @module
 */
import { join } from 'node:path'

/**
 * Features unrelated to showing pages, features that prompt the user, and features that throttle an invisible browser.
 */
export const DISABLED_FEATURES = [
  'AcceptCHFrame',
  'DeferRendererTasksAfterInput',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'LazyFrameLoading',
  'MediaRouter',
  'ThirdPartyStoragePartitioning',
  'Translate',
  // Cross-site frames stay in the page's process, so all requests of a page are seen in one place.
  'IsolateOrigins',
  'site-per-process',
  // Pages of the browser's own UI: 120 MiB for each context.
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
  // Halves the memory of a page that shows a few documents, at about the same speed.
  '--js-flags=--optimize-for-size',
  '--mute-audio',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
  // Traffic outside of a context's proxy goes to an unreachable proxy, and DNS lookups are disabled.
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--lang=en-US',
  '--screen-info={1920x1080}',
  '--window-size=1366,900',
]

/** The profile's path in the browser's folder. */
export const profileOf = (folder: string): string => join(folder, 'profile')

/**
 * Returns all flags.
 *
 * @param agent the user agent
 * @param folder the folder in which the profile is created
 */
export function flagsFor(agent: string, folder: string): string[] {
  // Chromium's own sandbox does not work for root.
  const isRoot = process.getuid?.() === 0
  const own = [`--user-agent=${agent}`, `--user-data-dir=${profileOf(folder)}`]
  return [...FLAGS, ...own, ...(isRoot ? ['--no-sandbox'] : [])]
}
