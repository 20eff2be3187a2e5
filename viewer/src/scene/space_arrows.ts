// Arrows in space: a few of one colour, shown where they are wanted, over everything.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { Rgba } from "./brush";
import { toColor } from "./space_actor";

const UP = new Vector3(0, 1, 0);

export class SpaceArrows {
    readonly group = new Group();
    private readonly skin = new MeshBasicMaterial({ depthTest: false, transparent: true });
    private readonly arrows: Group[] = [];
    private used = 0;

    constructor(most: number, private readonly thick = 1) {
        for (let k = 0; k < most; k++) this.arrows.push(this.make());
    }

    private make(): Group {
        const arrow = new Group();
        const shaft = new Mesh(new CylinderGeometry(0.03 * this.thick, 0.03 * this.thick, 0.75, 12)
            .translate(0, 0.375, 0), this.skin);
        const tip = new Mesh(new ConeGeometry(0.09 * this.thick, 0.25, 20).translate(0, 0.875, 0), this.skin);
        shaft.renderOrder = tip.renderOrder = 2;
        arrow.add(shaft, tip);
        this.group.add(arrow);
        return arrow;
    }

    paint(color: Rgba): void {
        this.skin.color.copy(toColor(color));
    }

    /** None, until they are shown again. */
    clear(): void {
        this.used = 0;
        for (const arrow of this.arrows) arrow.visible = false;
    }

    /** One more, unless all are used or it points nowhere. */
    show(at: Vector3, toward: Vector3, length: number): void {
        if (this.used === this.arrows.length || !(toward.length() > 0)) return;
        const arrow = this.arrows[this.used++];
        arrow.visible = true;
        arrow.position.copy(at);
        arrow.quaternion.copy(new Quaternion().setFromUnitVectors(UP, toward.normalize()));
        arrow.scale.setScalar(length);
    }
}
