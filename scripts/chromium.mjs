/**
 * Installs Chromium in a separate process; see `chromiumBeside`.
 *
 * @module
 */
import { installChromium } from './components.mjs'

process.exitCode = installChromium() ? 0 : 1
