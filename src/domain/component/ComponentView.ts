/** A component with the status it shows, without how to push to it. */
import type { Component } from "../../../schema/component/Component.ts"

export type ComponentView = Omit<Component, "pushUrl">
