/** The script of the reference: copy buttons, the key that opens the search, and old addresses of operations. */
export const docsScript = `
(() => {
  const small = matchMedia("(max-width: 56.25rem)")
  const contents = document.querySelector(".contents")
  if (small.matches) contents.open = false
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && small.matches) contents.open = false
  })
  // A browser lets no page copy over plain HTTP.
  for (const code of navigator.clipboard ? document.querySelectorAll("main pre") : []) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.querySelector("code").textContent)
      button.textContent = "Copied"
      setTimeout(() => { button.textContent = "Copy" }, 1500)
    })
    code.before(button)
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input")) return
    document.querySelector(".search input").focus()
    event.preventDefault()
  })
  const listed = location.pathname === "/docs" && location.hash !== "" && document.getElementById(location.hash.slice(1))
  const link = listed && listed.matches(".operations li") && listed.querySelector("a")
  if (link) location.replace(link.href)
})()
`
