/**
 * The optional script of the widget in a frame on another site. Every minute, while somebody can see it, it reads the widget again.
 * When nothing newer came for 5 minutes, it shows the line that says so instead of the status. It works without the script.
 */
export const embedScript = `
(() => {
  // The last version that was read, and when by this clock; a cache may answer with the same for hours.
  let known = 0, readAt = Date.now()
  const show = () => {
    const [status, old] = document.querySelectorAll(".embed")
    old.hidden = Date.now() - readAt < 300000
    status.hidden = !old.hidden
  }
  const refresh = async () => {
    if (document.hidden) return
    const response = await fetch(location.href, { cache: "no-cache" }).catch(() => null)
    if (response && response.ok) {
      const read = Date.parse(response.headers.get("last-modified"))
      if (known !== read) { known = read; readAt = Date.now() }
      const next = new DOMParser().parseFromString((await response.text()).replace(/<style[^]*?<\\/style>/g, ""), "text/html")
      const fresh = next.querySelector(".embed")
      if (fresh) { document.querySelector(".embed").replaceWith(fresh); document.title = next.title }
    }
    show()
  }
  setInterval(refresh, 60000)
  document.addEventListener("visibilitychange", refresh)
})()
`
