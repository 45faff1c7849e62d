import { render } from "preact";
import { App } from "./App";
import "./store/engine";
import { begin } from "./store/game";
import { connect } from "./store/link";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/board.css";
import "./styles/panels.css";
import "./styles/analysis.css";
import "./styles/dialogs.css";

connect();
void begin();
render(<App />, document.getElementById("app")!);
