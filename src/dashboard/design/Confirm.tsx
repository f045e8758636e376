/** Questions before something is lost: what it is, and the button that does it. */
import type { ComponentChildren } from "preact"
import { CallForm, type CallFormProps, Submit } from "./Form.tsx"
import { useMay } from "./May.tsx"
import { inWords } from "./Parts.tsx"

export const Confirm = ({ children, label, does = label, lost, ...form }: Omit<CallFormProps, "class" | "otherwise"> & {
  /** Label of the question: "Delete monitor". */
  readonly label: string
  readonly does?: string
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
              <Submit look="danger">{does}</Submit>
            </CallForm>
          </div>
        </div>
      </details>
    ) :
    null

/** Deletes the record of a view, and leads to a list. */
export const Delete = ({ name, noun, ...form }: Pick<CallFormProps, "call" | "fixed"> & {
  readonly noun: string
  readonly name: string
  readonly then: `/app${string}`
  readonly lost: ComponentChildren
}) => (
  <Confirm
    {...form}
    id={`delete-${noun}`}
    label={`Delete this ${noun}`}
    does={`Delete ${name}`}
    said={`${inWords(noun)} deleted`}
  />
)
