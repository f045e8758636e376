/** Elements and fields as scripts make and read them. */
import { themeKeptSec } from "../Theme.ts"

export const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** A small button that sends no form. */
export const makeButton = (
  text: string,
  act: () => void,
  attributes: Readonly<Record<string, string>> = {}
): HTMLButtonElement => {
  const button = make("button", { type: "button", class: "plain tight", ...attributes }, text)
  button.addEventListener("click", act)
  return button
}

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement

/** The fields of a form as it would be sent. */
export const fieldsIn = (form: HTMLFormElement): ReadonlyArray<readonly [name: string, value: string]> =>
  [...new FormData(form)].flatMap(([name, value]) => typeof value === "string" ? [[name, value] as const] : [])

/** Whether a key goes into a field. Outside, an event in the editor of code looks as if the box around it had been pressed. */
export const isTyping = (event: KeyboardEvent): boolean => {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,select,textarea"))
}

const keysOff = "belltower_keys=off"

/** Whether single letters are shortcuts on this device. Those who speak to their computer can switch them off. */
export const hasLetterKeys = (): boolean => !document.cookie.split("; ").includes(keysOff)

export const setLetterKeys = (on: boolean): void => {
  document.cookie = `${keysOff};path=/app;max-age=${on ? 0 : themeKeptSec};samesite=lax`
}

/** Says a text to those who use a screen reader. */
export const announce = (text: string): void => {
  const element = document.getElementById("announce")
  if (element !== null) element.textContent = text
}

interface Call extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the interface in the workspace of the view: the session may be in another one, to which another tab has switched. */
export const callApi = (path: string, { headers = {}, ...call }: Call = {}): Promise<Response> => {
  const workspace = document.getElementById("content")?.dataset["workspace"]
  return fetch(`/api/v1${path}`, {
    ...call,
    headers: { ...headers, ...(workspace === undefined ? {} : { "x-workspace": workspace }) }
  })
}

/** Whether the person's role allows an operation of `offered` (frame/Sections.ts). */
export const may = (operation: string): boolean =>
  document.getElementById("content")?.dataset["may"]?.split(" ").includes(operation) === true

/** A modal dialog with a name, which goes when it is closed. */
export const openDialog = (name: string, fill: (dialog: HTMLDialogElement) => void): void => {
  const dialog = make("dialog", { "aria-label": name })
  document.body.append(dialog)
  fill(dialog)
  dialog.addEventListener("close", () => dialog.remove())
  dialog.showModal()
}

/** The event of the window when a script has changed the address of the view. */
export const addressChanged = "addresschanged"

/** Sent to an island that shows new data itself. */
export const propsChanged = "propschanged"
