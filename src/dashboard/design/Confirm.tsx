/** Asks before something is lost: expands in place, says what is lost, and then offers the button. It needs no script. */
import type { ComponentChildren } from "preact"
import { CallForm, type CallFormProps, useMay } from "./Form.tsx"

export const Confirm = ({ children, label, does = label, lost, ...form }: Omit<CallFormProps, "class" | "otherwise"> & {
  /** Label of the question: "Delete monitor". */
  readonly label: string
  /** Label of the button; default `label`. */
  readonly does?: string
  /** The loss, in words. */
  readonly lost: ComponentChildren
}) =>
  useMay(form.call) ?
    (
      <details class="confirm">
        <summary class="button danger tight">{label}</summary>
        <div class="panel">
          <div class="body">
            {typeof lost === "string" ? <p>{lost}</p> : lost}
            <CallForm copy={false} {...form} class="form">
              {children}
              <div class="buttons">
                <button class="danger">{does}</button>
              </div>
            </CallForm>
          </div>
        </div>
      </details>
    ) :
    null
