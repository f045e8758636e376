/** Keeps relative times current, and sends the server the browser's time zone. */
import { relativeText, spanText } from "../design/SpanText.ts"

export const showTimes = (): void => {
  const now = Date.now()
  const locale = document.documentElement.lang
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-ago],time[data-since]")) {
    const seconds = (Date.parse(element.dateTime) - now) / 1000
    const text = "ago" in element.dataset ? relativeText(locale, seconds) : spanText(locale, -seconds)
    if (element.textContent !== text) element.textContent = text
  }
}

export const followTimes = (): void => {
  showTimes()
  setInterval(() => {
    if (!document.hidden) showTimes()
  }, 5000)
}

/** The next view then shows moments in this zone; this one is shown again only if it differs. */
export const tellZone = (): void => {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)
  if (document.cookie.split("; ").includes(`belltower_zone=${zone}`)) return
  document.cookie = `belltower_zone=${zone};path=/app;max-age=31536000;samesite=lax`
}
