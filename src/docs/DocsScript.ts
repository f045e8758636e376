/** The script of the reference: adds a filter to the contents, and collapses the contents on small screens. */
export const docsScript = `
(() => {
  const contents = document.querySelector(".contents")
  if (matchMedia("(max-width: 900px)").matches) contents.open = false
  const filter = document.createElement("input")
  filter.type = "search"
  filter.placeholder = "Filter operations (/)"
  filter.setAttribute("aria-label", "Filter operations")
  contents.querySelector("summary").after(filter)
  const entries = [...contents.querySelectorAll(".entry")]
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean)
    for (const entry of entries) {
      const text = (entry.textContent + " " + entry.title).toLowerCase()
      entry.hidden = !words.every((word) => text.includes(word))
    }
    for (const list of contents.querySelectorAll("h2 + ul")) {
      list.hidden = list.previousElementSibling.hidden = ![...list.children].some((one) => !one.hidden)
    }
  })
  filter.addEventListener("keydown", (event) => {
    const first = event.key === "Enter" && entries.find((entry) => !entry.hidden)
    if (first) first.querySelector("a").click()
  })
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input")) return
    contents.open = true
    filter.focus()
    event.preventDefault()
  })
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && matchMedia("(max-width: 900px)").matches) contents.open = false
  })
})()
`
