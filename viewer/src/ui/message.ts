// What a reader sees when there is nothing to show.
import { make } from "./dom";

export function showMessage(host: HTMLElement, title: string, text: string, hint: string): void {
    host.replaceChildren(
        make("main", { class: "message", role: "alert" },
            make("h1", {}, title),
            make("p", {}, text),
            make("p", { class: "hint" }, hint)),
    );
    host.className = "app app-message";
}
