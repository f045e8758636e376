/**
 * The optional script of a status page. It shows the age of the data, refreshes the page every minute and moves between the
 * bars with the arrow keys. The page works without it.
 */
export const pageScript = `
(() => {
  const root = document.documentElement
  const ago = new Intl.RelativeTimeFormat(root.lang, { numeric: "auto" })
  let etag = null
  const age = () => {
    const time = document.querySelector(".banner time")
    if (!time) return
    const seconds = Math.min(0, (Date.parse(time.dateTime) - Date.now()) / 1000)
    const [size, unit] = seconds > -60 ? [1, "second"] : seconds > -3600 ? [60, "minute"] : seconds > -86400 ? [3600, "hour"] : [86400, "day"]
    time.title = time.title || time.textContent
    time.textContent = ago.format(Math.trunc(seconds / size), unit)
  }
  const refresh = async () => {
    if (document.hidden) return
    const response = await fetch(location.href).catch(() => null)
    if (!response || !response.ok) return
    const next = new DOMParser().parseFromString(await response.text(), "text/html")
    const main = document.querySelector("main"), fresh = next.querySelector("main")
    if (!fresh) return
    const read = new Date(response.headers.get("last-modified") || Date.now())
    if (response.headers.get("etag") !== etag) {
      etag = response.headers.get("etag")
      const open = [...main.querySelectorAll("details[open]")].map((one) => one.id)
      const headingBefore = main.querySelector("h2").textContent
      const at = document.activeElement.closest("main [id]")
      const within = at ? [...at.querySelectorAll("*")].indexOf(document.activeElement) : -1
      main.replaceChildren(...fresh.childNodes)
      for (const id of open) { const one = id && document.getElementById(id); if (one) one.open = true }
      const home = at && document.getElementById(at.id), back = home && home.querySelectorAll("*")[within]
      if (back) back.focus({ preventScroll: true })
      document.title = next.title
      const icon = document.querySelector("link[rel=icon]"), changed = next.querySelector("link[rel=icon]")
      if (icon && changed && icon.href !== changed.href) icon.href = changed.href
      const heading = main.querySelector("h2").textContent
      if (heading !== headingBefore) document.getElementById("announce").textContent = heading
    }
    const time = main.querySelector(".banner time")
    if (time) { time.dateTime = read.toISOString(); time.title = ""; time.textContent = read.toLocaleString(root.lang) }
    age()
  }
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const bars = step && document.activeElement && document.activeElement.closest(".bars")
    if (!bars) return
    const all = [...bars.children].filter((bar) => bar.offsetWidth > 0)
    const at = all.indexOf(document.activeElement)
    const next = at < 0 ? all[step < 0 ? all.length - 1 : 0] : all[at + step]
    if (next) { next.focus(); event.preventDefault() }
  })
  age()
  setInterval(age, 15000)
  setInterval(refresh, 60000)
  document.addEventListener("visibilitychange", refresh)
})()
`
