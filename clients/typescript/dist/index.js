export { TASKS } from "./tasks.js";
