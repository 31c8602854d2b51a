/**
 * Shared parts of all pages for people: the surrounding document, and restrictive response headers.
 *
 * @module
 */
import { Html, html } from '../html.ts'

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%23a15c00'/><path d='M4 11V5m4 6V3m4 8V7' stroke='white' stroke-width='2' stroke-linecap='round'/></svg>"

/** The path of the service's public URL, without a trailing slash: the prefix of all paths that a browser sees. */
export const basePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** A complete document. @param head its links to styles and scripts @param body including the `body` tag */
export const documentOf = (title: string, head: Html, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-visual">
<title>${title}</title>
<link rel="icon" href="${new Html(ICON)}">
${head}
</head>
${body}
</html>
`.text

/**
 * Headers of a response for one person. It is not cached, not framed, and loads nothing from other sites.
 *
 * @param policy directives of its content security policy for images, forms and the like
 */
export const strictHeaders = (policy: string, referrer: 'no-referrer' | 'same-origin') =>
  ({
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; ${policy}`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': referrer,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  }) as const
