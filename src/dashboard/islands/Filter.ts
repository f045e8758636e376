/** Finds choices by their text in a long list of boxes. Checked ones stay in sight. */

export const mount = (element: HTMLElement): void => {
  const [search, status] = [document.createElement("input"), document.createElement("p")]
  const group = element.closest("[role=group]")
  const named = group?.getAttribute("aria-labelledby") ?? ""
  const list = element.querySelector<HTMLElement>(".choices")
  if (list === null) return
  search.type = "search"
  search.placeholder = "Find by name"
  search.setAttribute("aria-label", `Find in ${document.getElementById(named)?.textContent ?? "the list"}`)
  status.className = "note"
  status.setAttribute("role", "status")
  const choices = [...list.querySelectorAll<HTMLElement>(".choice")]
  const show = () => {
    const wanted = search.value.trim().toLowerCase()
    for (const choice of choices) {
      const isChecked = choice.querySelector<HTMLInputElement>("input")?.checked === true
      choice.hidden = !isChecked && !(choice.textContent ?? "").toLowerCase().includes(wanted)
    }
    const seen = choices.filter(({ hidden }) => !hidden).length
    status.textContent = wanted === "" ? "" : `${seen} of ${choices.length} shown`
  }
  search.addEventListener("input", (event) => {
    // It is no field of the form.
    event.stopPropagation()
    show()
  })
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault()
  })
  list.before(search)
  list.after(status)
}
