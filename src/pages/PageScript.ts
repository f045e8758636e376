/**
 * The optional script of a status page. It shows the age of the data, follows the page's stream of changes (or asks for a newer
 * page every 20 seconds where there is none), warns when nothing newer came for 5 minutes, moves between the bars with the arrow
 * keys, finds components of a long page, and keeps the status in sight below the banner. The page works without it. The stream is
 * open only while the page is visible, because browsers open few connections to one host.
 */
export const pageScript = `
(() => {
  const root = document.documentElement
  const ago = new Intl.RelativeTimeFormat(root.lang, { numeric: "auto" })
  let etag = null
  // The last version that was read, and when by this clock; a cache may answer with the same for hours.
  let known = 0, readAt = Date.now()
  const note = document.createElement("p")
  note.className = "warn"
  note.setAttribute("role", "note")
  const warn = () => {
    const main = document.querySelector("main"), banner = main.querySelector(".banner")
    if (Date.now() - readAt < 300000) note.remove()
    else if (banner && !main.querySelector(".warn")) {
      note.textContent = main.dataset.old
      banner.after(note)
    }
  }
  const age = () => {
    warn()
    const time = document.querySelector(".banner time")
    if (!time) return
    const seconds = Math.min(0, (Date.parse(time.dateTime) - Date.now()) / 1000)
    const [size, unit] = seconds > -60 ? [1, "second"] : seconds > -3600 ? [60, "minute"] : seconds > -86400 ? [3600, "hour"] : [86400, "day"]
    time.textContent = ago.format(Math.trunc(seconds / size), unit)
  }
  const full = (at, { locale, zone }) => at.toLocaleString(locale, { timeZone: zone, year: "numeric", month: "short", day: "numeric",
    hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" })
  const refresh = async () => {
    if (document.hidden) return
    const response = await fetch(location.href, { cache: "no-cache" }).catch(() => null)
    // The page asks for a password now, or for another one.
    if (response && response.status === 401) return location.reload()
    if (!response || !response.ok) return warn()
    // Without its style sheet: the policy of this page knows only its own, and browsers report another one.
    const html = (await response.text()).replace(/<style[^]*?<\\/style>/, "")
    const next = new DOMParser().parseFromString(html, "text/html")
    const main = document.querySelector("main"), fresh = next.querySelector("main")
    if (!fresh) return
    const read = new Date(response.headers.get("last-modified") || Date.now())
    if (known !== +read) { known = +read; readAt = Date.now() }
    if (response.headers.get("etag") !== etag) {
      etag = response.headers.get("etag")
      const open = [...main.querySelectorAll("details[open]")].map((one) => one.id)
      const headingBefore = main.querySelector("h2").textContent
      const at = document.activeElement.closest("main [id]")
      const within = at ? [...at.querySelectorAll("*")].indexOf(document.activeElement) : -1
      // The same field, with what was typed and where.
      const typed = document.getElementById("find"), blank = next.getElementById("find")
      if (typed && blank) blank.replaceWith(typed)
      for (const one of fresh.querySelectorAll("details[open]")) unfolded.set(one.id, true)
      main.replaceChildren(...fresh.childNodes)
      main.dataset.version = fresh.dataset.version
      for (const id of open) { const one = id && document.getElementById(id); if (one) one.open = true }
      find()
      stick()
      const home = at && document.getElementById(at.id), back = home && (within < 0 ? home : home.querySelectorAll("*")[within])
      if (back) back.focus({ preventScroll: true })
      document.title = next.title
      const icon = document.querySelector("link[rel=icon]"), changed = next.querySelector("link[rel=icon]")
      if (icon && changed && icon.href !== changed.href) icon.href = changed.href
      const heading = main.querySelector("h2").textContent
      if (heading !== headingBefore) document.getElementById("announce").textContent = heading
    }
    const time = main.querySelector(".banner time")
    if (time) { time.dateTime = read.toISOString(); time.title = full(read, time.dataset) }
    age()
  }
  const unfolded = new Map()
  let sought = ""
  const find = () => {
    const input = document.getElementById("find")
    if (!input) return
    const said = input.nextElementSibling, words = input.value.toLocaleLowerCase(root.lang).split(/\\s+/).filter(Boolean)
    const has = (text) => { const low = text.toLocaleLowerCase(root.lang); return words.every((word) => low.includes(word)) }
    const rows = [...document.querySelectorAll("main .row")]
    const groups = [...document.querySelectorAll("main .group")]
    input.parentElement.hidden = false
    if (words.length > 0 && sought === "") for (const one of groups) unfolded.set(one.id, one.open)
    for (const row of rows) {
      const group = row.closest(".group"), name = row.querySelector(".name").textContent
      row.hidden = !has(group ? group.querySelector("h3").textContent + " " + name : name)
    }
    for (const one of document.querySelectorAll("main .group, main section>.list")) {
      one.hidden = words.length > 0 && !one.querySelector(".row:not([hidden])")
      if (!one.matches("details") || (words.length === 0 && sought === "")) continue
      one.open = words.length > 0 || unfolded.get(one.id)
    }
    sought = words.join(" ")
    const left = rows.filter((row) => !row.hidden).length, count = new Intl.NumberFormat(root.lang)
    said.textContent = words.length === 0 ? "" : left === 0 ? said.dataset.none : count.format(left) + " / " + count.format(rows.length)
  }
  addEventListener("input", ({ target }) => { if (target.id === "find") find() })
  const stuck = document.querySelector(".stuck")
  const seen = stuck && window.IntersectionObserver && new IntersectionObserver((entries) => {
    const { boundingClientRect, isIntersecting } = entries[entries.length - 1]
    stuck.hidden = isIntersecting || boundingClientRect.top > 0
  })
  const stick = () => {
    const banner = document.querySelector(".banner")
    if (!seen || !banner) return
    seen.disconnect()
    stuck.className = banner.className.replace("banner", "stuck")
    stuck.replaceChildren(banner.querySelector("svg").cloneNode(true), banner.querySelector("h2").textContent)
    seen.observe(banner)
  }
  find()
  stick()
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
  let stream = null, polling = 0, waiting = 0, tries = 0
  const poll = () => { polling = polling || setInterval(refresh, 20000) }
  const behind = (version) => version !== document.querySelector("main").dataset.version
  const later = (version, ms) => {
    clearTimeout(waiting)
    waiting = setTimeout(async () => {
      await refresh()
      if (!document.hidden && behind(version) && tries++ < 5) later(version, 2000 * tries)
    }, ms)
  }
  const follow = () => {
    if (document.hidden) { if (stream) stream.close(); stream = null; return }
    if (stream || polling) return
    if (!window.EventSource) return poll()
    stream = new EventSource(location.pathname.replace(/\\/$/, "") + "/live")
    stream.onmessage = ({ data }) => {
      const { version, spreadMs } = JSON.parse(data)
      tries = 0
      if (behind(version)) later(version, Math.random() * spreadMs)
    }
    stream.onerror = () => { if (stream && stream.readyState === 2) { stream = null; poll() } }
  }
  follow()
  setInterval(() => { if (!polling) refresh() }, 120000)
  document.addEventListener("visibilitychange", () => { refresh(); follow() })
})()
`
