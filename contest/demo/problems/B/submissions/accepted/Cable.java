import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.StringTokenizer;

public class Cable {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine().trim());
        double[] last = null;
        double length = 0;
        for (int i = 0; i < n; i++) {
            StringTokenizer words = new StringTokenizer(in.readLine());
            double[] point = new double[3];
            double squares = 0;
            for (int k = 0; k < 3; k++) {
                point[k] = Double.parseDouble(words.nextToken());
                if (last != null)
                    squares += (point[k] - last[k]) * (point[k] - last[k]);
            }
            length += Math.sqrt(squares);
            last = point;
        }
        System.out.println(length);
    }
}
